/** One URL of L1 among several: whether it is asked at present, and for how long it is put aside. */
import type { Clock, Random } from '@keelson/primitives'
import { ClientError, RpcResponseError } from '../client-error.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import type { L1Client } from './l1-client.ts'

export interface L1Source {
  /** Host and port. */
  readonly host: string
  readonly rpc: RpcClient
  /** Verifies what `rpc` answers. */
  readonly client: L1Client
}

/** Why a source is not asked for a while. */
export type L1Fault = 'failing' | 'limiting' | 'wrong-answer' | 'behind'

export interface L1Standing {
  readonly source: L1Source
  /** Place in the list of URLs: the lower, the sooner it is asked. */
  readonly rank: number
  chain: 'unknown' | 'right' | 'wrong'
  /** Null while it is in service. */
  aside: { readonly sinceMs: number; readonly untilMs: number } | null
  /** Times in a row it was put aside. */
  times: number
  backAtMs: number
  probing: boolean
}

const BASE_DELAY_MS: Readonly<Record<L1Fault, number>> = { failing: 2_000, limiting: 5_000, behind: 5_000, 'wrong-answer': 60_000 }
const MAX_DELAY_MS = 300_000

/** Null for an error that is an answer about the request, not about the source. */
export function faultOf(error: unknown): L1Fault | null {
  if (error instanceof RpcResponseError) return error.severity === 'temporary' ? 'limiting' : null
  if (!(error instanceof ClientError)) return null
  switch (error.code) {
    case 'client/block-mismatch':
    case 'client/bad-answer':
      return 'wrong-answer'
    case 'client/rate-limited':
      return 'limiting'
    case 'client/receipts-missing':
    case 'client/block-missing':
      return 'behind'
    case 'client/unreachable':
    case 'client/timeout':
    case 'client/http-status':
    case 'client/unauthorized':
      return 'failing'
    default:
      return null
  }
}

export function newStanding(source: L1Source, rank: number): L1Standing {
  return { source, rank, chain: 'unknown', aside: null, times: 0, backAtMs: Number.NEGATIVE_INFINITY, probing: false }
}

/** Milliseconds it is put aside for: doubling while it fails soon after it came back, with jitter. */
export function putAside(
  standing: L1Standing,
  fault: L1Fault,
  error: unknown,
  { clock, random }: { clock: Clock; random: Random },
): number {
  const nowMs = clock.nowMs()
  const base = BASE_DELAY_MS[fault]
  const soon = standing.aside !== null || nowMs - standing.backAtMs < Math.min(MAX_DELAY_MS, base * 2 ** (standing.times + 2))
  standing.times = soon ? standing.times + 1 : 1
  const grown = Math.min(MAX_DELAY_MS, base * 2 ** (standing.times - 1)) * (0.5 + random.next() / 2)
  const asked = error instanceof ClientError ? Number(error.details.retryAfterSec ?? 0) * 1000 : 0
  const delayMs = Math.round(Math.max(grown, Math.min(asked, MAX_DELAY_MS)))
  standing.aside = { sinceMs: standing.aside?.sinceMs ?? nowMs, untilMs: nowMs + delayMs }
  return delayMs
}
