/** Scores peers by what they did wrong; scores recover with time. */
import type { Clock } from '@keelson/primitives'

export const FAULTS = {
  /** Data that is provably wrong. */
  invalid: { points: 100, banMs: 24 * 3_600_000 },
  /** A message that breaks the protocol. */
  protocol: { points: 50, banMs: 3_600_000 },
  /** No answer at all to several requests of one kind in a row, which no peer that is only behind leaves open. */
  silent: { points: 100, banMs: 600_000 },
  /** Late, or without the data that was asked for, as from every peer that is still syncing. */
  useless: { points: 1, banMs: 600_000 },
} as const
export type FaultKind = keyof typeof FAULTS

export interface Cause {
  readonly reason: string
  readonly durationMs: number
}

export interface FaultScores {
  note(peerId: string, kind: FaultKind, reason: string): void
  /** 0 is best. */
  score(peerId: string): number
  /** The last fault of a peer. */
  causeOf(peerId: string): Cause | null
}

export const BAN_BELOW = -99
const HALF_LIFE_MS = 600_000
const MAX_PEERS = 1_024

interface Entry extends Cause {
  readonly points: number
  readonly atMs: number
}

export function createFaultScores(clock: Pick<Clock, 'nowMs'>): FaultScores {
  const entries = new Map<string, Entry>()

  function pointsNow(peerId: string): number {
    const entry = entries.get(peerId)
    return entry === undefined ? 0 : entry.points * 0.5 ** (Math.max(0, clock.nowMs() - entry.atMs) / HALF_LIFE_MS)
  }

  return {
    note(peerId, kind, reason) {
      const { points, banMs } = FAULTS[kind]
      const entry = { points: pointsNow(peerId) + points, atMs: clock.nowMs(), reason, durationMs: banMs }
      entries.delete(peerId)
      entries.set(peerId, entry)
      if (entries.size > MAX_PEERS) entries.delete(entries.keys().next().value as string)
    },
    score: (peerId) => 0 - pointsNow(peerId),
    causeOf: (peerId) => entries.get(peerId) ?? null,
  }
}
