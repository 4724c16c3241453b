/**
 * Ends the driver's work at a fork that this release does not implement: no block of the fork is built, derived or inserted,
 * and no L1 block of its time is read, because the fork may change how batches are read by the time of their inclusion
 * (as Fjord did). specs: protocol/derivation.md#network-upgrade-automation-transactions, protocol/fjord/derivation.md
 */
import { type ForkLimitConfig, forkLimitOf } from '@keelson/chainspec'
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { L2Heads } from './blocks/l2-heads.ts'
import type { DegradedStates } from './degraded-states.ts'

export interface ForkStop {
  /** Says it once the unsafe head is the last block, or derivation has come to L1 blocks of the fork's time. */
  look(heads: L2Heads | null, currentL1: L1BlockRef | null): void
  /** The unsafe head is the last block: nothing is expected to follow. */
  readonly reached: boolean
  /** Is the fork in force in a block of this time? */
  refuses(timestampSec: number): boolean
  /** Does no block follow this one? */
  isLast(block: Pick<L2BlockRef, 'timestampSec'>): boolean
  /** May derivation go on after this block, reading this L1 block? */
  endsDerivation(pendingSafe: L2BlockRef, currentL1: L1BlockRef | null): boolean
}

export const NO_FORK_STOP: ForkStop = {
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
        // nothing is expected from peers, so nothing is missing
        for (const name of ['no-gossip', 'unsafe-gap'] as const) degraded.leave(name)
      } else if (endsReading(currentL1)) {
        degraded.enter(
          'unsupported-fork',
          `derivation stopped before fork ${fork.name}`,
          `L1 block ${currentL1?.number} has its time (${fork.timeSec}), this release does not know how the data there is read, and block ${lastBlock} is the last one it can follow`,
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
