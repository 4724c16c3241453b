/** Scores responses to block requests (weights and caps of op-node's profile `light`) and excess messages. */
import type { Clock } from '@keelson/primitives'
import { DECAYED, scoreDecay } from './score-decay.ts'

export interface RequestCounts {
  readonly validResponses: number
  readonly errorResponses: number
  readonly rejectedPayloads: number
}

interface Counts extends RequestCounts {
  /** The first mutes a peer for a while; the second disconnects it. */
  readonly excessMessages: number
  /** Blocks that do not match their hash. No correct peer has one, so the first is enough for a ban. */
  readonly lies: number
}

export interface ApplicationScore {
  note(peerId: string, what: keyof Counts): void
  counts(peerId: string): RequestCounts
  hasLied(peerId: string): boolean
  score(peerId: string): number
}

const KINDS = {
  validResponses: { cap: 10, weight: 0.5 },
  errorResponses: { cap: 9, weight: -1 },
  rejectedPayloads: { cap: 20, weight: -20 },
  excessMessages: { cap: 4, weight: -70 },
  lies: { cap: 2, weight: -200 },
} as const
const NOTHING: Counts = { validResponses: 0, errorResponses: 0, rejectedPayloads: 0, excessMessages: 0, lies: 0 }
const FADES_OVER_BLOCKS = 60
const MAX_PEERS = 1_024

export function createApplicationScore(blockTimeMs: number, clock: Pick<Clock, 'nowMs'>): ApplicationScore {
  const decay = scoreDecay(FADES_OVER_BLOCKS)
  const known = new Map<string, { readonly counts: Counts; readonly atMs: number }>()

  function faded(peerId: string): Counts {
    const entry = known.get(peerId)
    if (entry === undefined) return NOTHING
    const factor = decay ** Math.floor(Math.max(0, clock.nowMs() - entry.atMs) / blockTimeMs)
    const fade = (count: number) => (count * factor < DECAYED ? 0 : count * factor)
    const { validResponses, errorResponses, rejectedPayloads, excessMessages, lies } = entry.counts
    return {
      validResponses: fade(validResponses),
      errorResponses: fade(errorResponses),
      rejectedPayloads: fade(rejectedPayloads),
      excessMessages: fade(excessMessages),
      lies: fade(lies),
    }
  }

  return {
    note(peerId, what) {
      const now = faded(peerId)
      known.delete(peerId)
      known.set(peerId, { counts: { ...now, [what]: Math.min(now[what] + 1, KINDS[what].cap) }, atMs: clock.nowMs() })
      if (known.size > MAX_PEERS) known.delete(known.keys().next().value as string)
    },
    counts(peerId) {
      const { excessMessages: _, lies, ...requests } = faded(peerId)
      return { ...requests, rejectedPayloads: requests.rejectedPayloads + lies }
    },
    hasLied: (peerId) => faded(peerId).lies > 0,
    score(peerId) {
      const now = faded(peerId)
      return (Object.keys(KINDS) as (keyof Counts)[]).reduce((sum, kind) => sum + now[kind] * KINDS[kind].weight, 0)
    },
  }
}
