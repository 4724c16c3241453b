/** specs: protocol/exec-engine.md#engine-api */
import { ethParameters, type RollupConfig } from '@keelson/chainspec'
import type { EngineVersions } from '@keelson/client'
import { l2Time } from '@keelson/primitives'

export function engineVersionsFor(config: RollupConfig): (timestampSec: number) => EngineVersions {
  return (timestampSec) => {
    const rules = config.forks.blockRules(l2Time(timestampSec))
    if (ethParameters(rules.ethFork).cellProofs) return { forkchoiceUpdated: 3, getPayload: 5, newPayload: 4 }
    if (rules.requests !== 'absent') return { forkchoiceUpdated: 3, getPayload: 4, newPayload: 4 }
    if (rules.parentBeaconRoot) return { forkchoiceUpdated: 3, getPayload: 3, newPayload: 3 }
    if (rules.withdrawals !== 'absent') return { forkchoiceUpdated: 2, getPayload: 2, newPayload: 2 }
    return { forkchoiceUpdated: 1, getPayload: 1, newPayload: 1 }
  }
}
