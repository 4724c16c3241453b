import { type DepositProgress, readDepositProgress } from '@keelson/apps/bridge'
import type { Hash } from '@keelson/primitives'
import type { Narrator } from './narrator.ts'
import type { BridgeNetwork } from './open-network.ts'

const POLL_MS = 1000
const SAY_EVERY_MS = 10_000

/** Returns null after the timeout. */
export async function waitForDeposit(
  { l1, l2, contracts, clock }: BridgeNetwork,
  l1TxHash: Hash,
  timeoutMs: number,
  narrator: Narrator,
): Promise<DepositProgress | null> {
  const untilMs = clock.nowMs() + timeoutMs
  let said = ''
  let saidMs = 0
  while (clock.nowMs() < untilMs) {
    const progress = (await readDepositProgress(l1, l2, contracts, l1TxHash))?.[0]
    if (progress !== undefined) {
      if (progress.state !== said || clock.nowMs() - saidMs >= SAY_EVERY_MS) {
        narrator.say(progress.state, progress.text)
        said = progress.state
        saidMs = clock.nowMs()
      }
      if (progress.state === 'complete' || progress.state === 'failed') return progress
    }
    await clock.sleep(POLL_MS)
  }
  return null
}
