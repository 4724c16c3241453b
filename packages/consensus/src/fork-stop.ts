import { type ForkLimitConfig, forkLimitOf } from '@keelson/chainspec'
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { L2Heads } from './blocks/l2-heads.ts'
import type { DegradedStates } from './degraded-states.ts'

/**
 * Stops building, deriving and inserting blocks before an unsupported fork. L1 blocks of its time are not read, because a fork
 * may change how batches are read by inclusion time, as Fjord did. specs:
 * protocol/derivation.md#network-upgrade-automation-transactions, protocol/fjord/derivation.md
 */
export interface ForkStop {
  look(heads: L2Heads | null, currentL1: L1BlockRef | null): void
  /** True when the unsafe head is the last block. */
  readonly reached: boolean
  refuses(timestampSec: number): boolean
  isLast(block: Pick<L2BlockRef, 'timestampSec'>): boolean
  endsDerivation(pendingSafe: L2BlockRef, currentL1: L1BlockRef | null): boolean
}

const NO_FORK_STOP: ForkStop = {
  look: () => undefined,
  reached: false,
  refuses: () => false,
  isLast: () => false,
  endsDerivation: () => false,
}

export function createForkStop(config: ForkLimitConfig, degraded: DegradedStates): ForkStop {
  const limit = forkLimitOf(config)
  if (limit === null) return NO_FORK_STOP
  const { fork, lastBlock, stop } = limit
  let reached = false
  const endsReading = (currentL1: L1BlockRef | null) => currentL1 !== null && limit.refuses(currentL1.timestampSec)
  return {
    look(heads, currentL1) {
      if (heads === null) return
      reached = limit.isLast(heads.unsafe.timestampSec)
      if (reached) {
        degraded.enter('unsupported-fork', stop.what, stop.why, stop.remedy)
        for (const name of ['no-gossip', 'unsafe-gap'] as const) degraded.leave(name)
      } else if (endsReading(currentL1)) {
        degraded.enter(
          'unsupported-fork',
          `derivation stopped before fork ${fork.name}`,
          `L1 block ${currentL1?.number} is at the fork's time (${fork.timeSec}); this release does not know how to read its data, and block ${lastBlock} is the last one it can follow`,
          stop.remedy,
        )
      } else degraded.leave('unsupported-fork')
    },
    get reached() {
      return reached
    },
    refuses: limit.refuses,
    isLast: ({ timestampSec }) => limit.isLast(timestampSec),
    endsDerivation: (pendingSafe, currentL1) => limit.isLast(pendingSafe.timestampSec) || endsReading(currentL1),
  }
}
