/**
 * The part of a peer's score that gossip does not see: how it answered requests for blocks. Counts fade over time;
 * weights and caps are those of op-node's profile `light`.
 */
import type { Clock } from '@keelson/primitives'
import { DECAYED, scoreDecay } from './score-decay.ts'

export interface RequestCounts {
  readonly validResponses: number
  readonly errorResponses: number
  readonly rejectedPayloads: number
}

export interface ApplicationScore {
  note(peerId: string, what: keyof RequestCounts): void
  counts(peerId: string): RequestCounts
  score(peerId: string): number
}

const KINDS = {
  validResponses: { cap: 10, weight: 0.5 },
  errorResponses: { cap: 9, weight: -1 },
  rejectedPayloads: { cap: 20, weight: -20 },
} as const
const NOTHING: RequestCounts = { validResponses: 0, errorResponses: 0, rejectedPayloads: 0 }
const FADES_OVER_BLOCKS = 60
const MAX_PEERS = 1_024

export function createApplicationScore(blockTimeMs: number, clock: Pick<Clock, 'nowMs'>): ApplicationScore {
  const decay = scoreDecay(FADES_OVER_BLOCKS)
  const known = new Map<string, { readonly counts: RequestCounts; readonly atMs: number }>()

  function counts(peerId: string): RequestCounts {
    const entry = known.get(peerId)
    if (entry === undefined) return NOTHING
    const factor = decay ** Math.floor(Math.max(0, clock.nowMs() - entry.atMs) / blockTimeMs)
    const faded = (count: number) => (count * factor < DECAYED ? 0 : count * factor)
    const { validResponses, errorResponses, rejectedPayloads } = entry.counts
    return {
      validResponses: faded(validResponses),
      errorResponses: faded(errorResponses),
      rejectedPayloads: faded(rejectedPayloads),
    }
  }

  return {
    note(peerId, what) {
      const now = counts(peerId)
      known.delete(peerId)
      known.set(peerId, { counts: { ...now, [what]: Math.min(now[what] + 1, KINDS[what].cap) }, atMs: clock.nowMs() })
      if (known.size > MAX_PEERS) known.delete(known.keys().next().value as string)
    },
    counts,
    score(peerId) {
      const now = counts(peerId)
      return (Object.keys(KINDS) as (keyof RequestCounts)[]).reduce((sum, kind) => sum + now[kind] * KINDS[kind].weight, 0)
    },
  }
}
