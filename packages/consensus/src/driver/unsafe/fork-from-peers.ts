/**
 * Notices that peers follow another chain: the execution client refuses a block that the sequencer signed, or such blocks
 * keep building on one that is not ours. Then most likely an upgrade was missed, and the node says from which block on.
 */
import type { Clock, L2BlockRef, PayloadEnvelope } from '@keelson/primitives'
import { describeBlock } from '../../blocks/describe-block.ts'
import type { DegradedStates } from '../../degraded-states.ts'

export interface ForkFromPeers {
  /** The execution client called this block invalid. */
  refused(envelope: PayloadEnvelope, reason: string): void
  /** The lowest block at hand is for the height after our head and does not build on it. */
  conflicts(envelope: PayloadEnvelope, head: L2BlockRef): void
  /** A peer's block builds on ours. */
  agrees(): void
}

/** A sequencer that reorganised is followed within this time. */
const PATIENCE_MS = 60_000
const REMEDY =
  'compare the fork schedule in the first lines of the log and the version with those of other nodes, then the block hash with another node; the blocks since are not those of the network'

export function createForkFromPeers(clock: Clock, degraded: DegradedStates): ForkFromPeers {
  let sinceMs: number | null = null
  let refusedBlock: number | null = null

  function enter(number: number, why: string): void {
    degraded.enter('forked', `forked from peers at block ${number}`, why, REMEDY)
  }

  return {
    refused({ payload }, reason) {
      // what builds on it is refused for its sake
      if (refusedBlock !== null) return
      refusedBlock = payload.blockNumber
      enter(
        refusedBlock,
        `the execution client refuses block ${payload.blockNumber} (${payload.blockHash}), which the sequencer signed: ${reason}`,
      )
    },
    conflicts({ payload }, head) {
      sinceMs ??= clock.nowMs()
      if (refusedBlock !== null || clock.nowMs() - sinceMs < PATIENCE_MS) return
      const at = payload.blockNumber - 1
      enter(
        at,
        `our head is ${describeBlock(head)}; the sequencer's block ${payload.blockNumber} builds on ${payload.parentHash}, or the chains part below`,
      )
    },
    agrees() {
      sinceMs = null
      refusedBlock = null
      degraded.leave('forked')
    },
  }
}
