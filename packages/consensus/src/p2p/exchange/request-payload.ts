import type { Hash } from '@keelson/primitives'
import type { PayloadFromPeer } from '../../ports.ts'
import { decodePayloadAnswer, encodePayloadRequest, type PayloadAnswer } from './payload-exchange.ts'

/**
 * `not-served`: the peer does not support this protocol, which is no fault. `failed`: it answered with an error other than a missing
 * block, which counts like no answer. specs: protocol/rollup-node-p2p.md#payload_by_number
 */
export type RequestOutcome = PayloadAnswer['kind'] | 'failed' | 'no-answer' | 'not-served'

export interface PayloadPeers {
  /** Peers in order of preference. An answer is dropped if its peer is no longer listed. */
  peers(): readonly string[]
  exchange(peer: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  judged(peer: string, outcome: RequestOutcome): void
}

/** Limits the cost of a block that no peer has. */
const MAX_PEERS_ASKED = 5

/** The request is sent at once, but no answer is read before `hash` resolves; null cancels the request. */
export async function requestPayload(
  { peers, exchange, judged }: PayloadPeers,
  number: number,
  hash: Hash | Promise<Hash | null>,
  signal: AbortSignal,
): Promise<PayloadFromPeer | null> {
  const request = encodePayloadRequest(number)
  for (const peer of peers().slice(0, MAX_PEERS_ASKED)) {
    if (signal.aborted) return null
    // skip a peer that lied about another block in the meantime
    if (!peers().includes(peer)) continue
    const raw = await exchange(peer, request, signal).catch((error: unknown) => (isUnsupported(error) ? 'not-served' : 'no-answer'))
    if (typeof raw === 'string') {
      judged(peer, raw)
      continue
    }
    const wanted = await hash
    if (wanted === null) return null
    if (!peers().includes(peer)) continue
    const answer = decodePayloadAnswer(raw, number, wanted)
    judged(peer, outcomeOf(answer))
    if (answer.kind === 'payload') return { envelope: answer.envelope, from: peer }
  }
  return null
}

function outcomeOf(answer: PayloadAnswer): RequestOutcome {
  const isError = answer.kind === 'refused' && (answer.reason === 'failed' || answer.reason === 'invalid-request')
  return isError ? 'failed' : answer.kind
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && error.name === 'UnsupportedProtocolError'
}
