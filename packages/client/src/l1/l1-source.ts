import { ClientError, RpcResponseError } from '../client-error.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { inService, type Suspendable } from '../suspension.ts'
import type { L1Client } from './l1-client.ts'

export interface L1Source {
  readonly host: string
  readonly rpc: RpcClient
  readonly client: L1Client
}

export type L1Fault = 'failing' | 'limiting' | 'wrong-answer' | 'behind'

export interface L1Standing extends Suspendable {
  readonly source: L1Source
  readonly rank: number
  chain: 'unknown' | 'right' | 'wrong'
  probing: boolean
}

/** First suspension, in milliseconds. */
export const L1_FAULT_REST_MS: Readonly<Record<L1Fault, number>> = {
  failing: 2_000,
  limiting: 5_000,
  behind: 5_000,
  'wrong-answer': 60_000,
}

/** Returns null for an error about the request. */
export function faultOf(error: unknown): L1Fault | null {
  if (error instanceof RpcResponseError) return error.severity === 'temporary' ? 'limiting' : null
  if (!(error instanceof ClientError)) return null
  switch (error.code) {
    case 'client/block-mismatch':
    case 'client/bad-answer':
    case 'client/too-large':
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
  return { source, rank, chain: 'unknown', ...inService(), probing: false }
}
