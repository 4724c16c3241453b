import { type Clock, counted, type L1BlockRef } from '@keelson/primitives'
import type { L2Heads } from '../blocks/l2-heads.ts'
import type { DegradedStates } from '../degraded-states.ts'
import { l1AgeLimitSec } from '../l1/l1-pace.ts'

/** Detects why the head is old: L1 has no new blocks, or peers send no unsafe blocks. */
export interface WhyBehind {
  heard(): void
  look(heads: L2Heads | null, l1Head: L1BlockRef | null, l1BlockTimeSec?: number | null): void
}

export interface WhyBehindOptions {
  readonly maxHeadAgeSec: number
  readonly maxL1AgeSec: number
}

export interface WhyBehindDependencies {
  readonly peers: (() => number) | null
  readonly clock: Clock
  readonly degraded: DegradedStates
}

const LOOK_EVERY_MS = 1_000

export function createWhyBehind(
  { maxHeadAgeSec, maxL1AgeSec }: WhyBehindOptions,
  { peers, clock, degraded }: WhyBehindDependencies,
): WhyBehind {
  let heardMs = clock.nowMs()
  let lookedMs = clock.nowMs()

  function lookAtL1(l1Head: L1BlockRef, blockTimeSec: number | null): void {
    const ageSec = Math.floor(clock.nowMs() / 1000) - l1Head.timestampSec
    if (ageSec <= l1AgeLimitSec(maxL1AgeSec, blockTimeSec)) {
      degraded.leave('l1-stale')
      return
    }
    degraded.enter(
      'l1-stale',
      'waiting for L1',
      `its newest block ${l1Head.number} is ${ageSec} s old`,
      'check that the L1 node is in sync, or give another one (--l1.rpc)',
    )
  }

  function lookAtGossip(countPeers: () => number, heads: L2Heads): void {
    const nowMs = clock.nowMs()
    const silentSec = Math.floor((nowMs - heardMs) / 1000)
    const ageSec = Math.floor(nowMs / 1000) - heads.unsafe.timestampSec
    if (silentSec <= maxHeadAgeSec || ageSec <= maxHeadAgeSec) {
      degraded.leave('no-gossip')
      return
    }
    const count = countPeers()
    degraded.enter(
      'no-gossip',
      'no unsafe blocks come from peers',
      `none for ${silentSec} s, with ${counted(count, 'peer')}; the unsafe head ${heads.unsafe.number} is ${ageSec} s old and only L1 moves it`,
      count === 0
        ? 'check the configured peers, and that the p2p port (--p2p.port) is reachable from outside'
        : 'the sequencer may have stopped; else check that the p2p port (--p2p.port) is reachable from outside, and the peers',
    )
  }

  return {
    heard() {
      heardMs = clock.nowMs()
      degraded.leave('no-gossip')
    },
    look(heads, l1Head, l1BlockTimeSec = null) {
      if (clock.nowMs() < lookedMs + LOOK_EVERY_MS) return
      lookedMs = clock.nowMs()
      if (l1Head !== null) lookAtL1(l1Head, l1BlockTimeSec)
      if (peers !== null && heads !== null) lookAtGossip(peers, heads)
    },
  }
}
