import type { Clock } from '@keelson/primitives'
import type { HealthCheck } from '@keelson/runtime'
import type { ChainReader } from './chain/chain-reader.ts'
import type { ChainRules } from './chain-rules.ts'

/** The last block before an unsupported fork may have any age. */
export function headAgeCheck(chain: ChainReader, { limit = null }: ChainRules, clock: Clock, maxHeadAgeSec: number): HealthCheck {
  return {
    name: 'head-age',
    isPublic: true,
    check() {
      const { header } = chain.label('unsafe')
      if (limit?.isLast(header.timestampSec)) return { ok: true, detail: `head ${header.number} is the last block` }
      const ageSec = Math.floor(clock.nowMs() / 1000) - header.timestampSec
      if (ageSec <= maxHeadAgeSec) return { ok: true, detail: `head ${header.number} is ${ageSec} s old` }
      return {
        ok: false,
        reason: `head ${header.number} is ${ageSec} s old; at most ${maxHeadAgeSec} s are expected`,
        remedy: 'check that the consensus client runs, reaches the engine API, and is not waiting for L1 or for the sequencer',
      }
    },
  }
}
