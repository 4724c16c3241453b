import type { Clock, L2BlockRef, PayloadEnvelope } from '@keelson/primitives'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { DegradedStates } from '../../degraded-states.ts'

/** Detects that peers follow another chain, usually because this node missed an upgrade. */
export interface ForkedFromPeers {
  /** The execution client rejected a signed block. */
  refused(envelope: PayloadEnvelope, reason: string): void
  /** A block for the next height has a parent other than our head. */
  conflicts(envelope: PayloadEnvelope, head: L2BlockRef): void
  agrees(): void
}

/** Longer than a reorganization by the sequencer takes. */
const PATIENCE_MS = 60_000
const REMEDY =
  'compare the fork schedule in the first lines of the log and the version with those of other nodes, then the block hash with another node; blocks since then are not those of the network'

export function createForkedFromPeers(clock: Clock, degraded: DegradedStates): ForkedFromPeers {
  let sinceMs: number | null = null
  let refusedBlock: number | null = null

  function enter(number: number, why: string): void {
    degraded.enter('forked', `forked from peers at block ${number}`, why, REMEDY)
  }

  return {
    refused({ payload }, reason) {
      // this block is a descendant of the reported one and is rejected because of it
      if (refusedBlock !== null) return
      refusedBlock = payload.blockNumber
      enter(
        refusedBlock,
        `the execution client rejects block ${payload.blockNumber} (${payload.blockHash}), which the sequencer signed: ${reason}`,
      )
    },
    conflicts({ payload }, head) {
      sinceMs ??= clock.nowMs()
      if (refusedBlock !== null || clock.nowMs() - sinceMs < PATIENCE_MS) return
      const at = payload.blockNumber - 1
      enter(
        at,
        `the head here is ${describeBlock(head)}; the sequencer's block ${payload.blockNumber} builds on ${payload.parentHash}, or the chains part below`,
      )
    },
    agrees() {
      sinceMs = null
      refusedBlock = null
      degraded.leave('forked')
    },
  }
}
