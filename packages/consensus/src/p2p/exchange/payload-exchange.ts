/**
 * What goes over the wire when a node asks a peer for the block of a number.
 * specs: protocol/rollup-node-p2p.md#payload_by_number
 */
import {
  bigintToBytes,
  bytesToBigint,
  CodecError,
  concatBytes,
  type PayloadEnvelope,
  type PayloadMismatch,
  payloadMismatch,
} from '@keelson/primitives'
import { decodeSignedPart, encodeSignedPart } from '../gossip/block-message.ts'
import { MAX_GOSSIP_BYTES } from '../gossip/snappy-block.ts'
import { type PayloadVersion, payloadVersion } from '../gossip/ssz-payload.ts'
import { snappyFrames, snappyUnframe } from './snappy-frames.ts'

/** What came of a request, as the first byte of an answer. */
export const PAYLOAD_RESULT = { success: 0, notFound: 1, invalidRequest: 2, failed: 3 } as const
export type PayloadRefusal = 'not-found' | 'invalid-request' | 'failed'

export type PayloadAnswer =
  | { readonly kind: 'payload'; readonly envelope: PayloadEnvelope }
  | { readonly kind: 'refused'; readonly reason: PayloadRefusal }
  /** The peer broke the protocol, or lied. */
  | { readonly kind: 'bad'; readonly reason: 'answer-malformed' | 'wrong-number' | PayloadMismatch['kind'] }

export const PAYLOAD_REQUEST_BYTES = 8
const HEAD_BYTES = 5
/** Frames of data that does not compress are a little longer than the data. */
export const MAX_PAYLOAD_ANSWER_BYTES = MAX_GOSSIP_BYTES + 64 * 1024

/** As op-node and this client name it. */
export function payloadProtocol(chainId: bigint): string {
  return `/opstack/req/payload_by_number/${chainId}/0`
}

/** As the text of the specification and kona name it. */
export function specifiedPayloadProtocol(chainId: bigint): string {
  return `${payloadProtocol(chainId)}/`
}

export function encodePayloadRequest(number: number): Uint8Array {
  return bigintToBytes(BigInt(number), PAYLOAD_REQUEST_BYTES).reverse()
}

/** Null when it is not a number of a block. */
export function decodePayloadRequest(raw: Uint8Array): number | null {
  if (raw.length !== PAYLOAD_REQUEST_BYTES) return null
  const number = bytesToBigint(raw.slice().reverse())
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : null
}

export function encodePayloadAnswer(envelope: PayloadEnvelope): Uint8Array {
  const wireVersion = Math.max(0, payloadVersion(envelope.payload) - 2)
  return concatBytes(Uint8Array.of(PAYLOAD_RESULT.success, wireVersion, 0, 0, 0), snappyFrames(encodeSignedPart(envelope)))
}

export function encodePayloadRefusal(reason: PayloadRefusal): Uint8Array {
  const { notFound, invalidRequest, failed } = PAYLOAD_RESULT
  return Uint8Array.of({ 'not-found': notFound, 'invalid-request': invalidRequest, failed }[reason])
}

/** Checks number and hash; whether the block belongs to the chain is for the caller to find out. */
export function decodePayloadAnswer(raw: Uint8Array, number: number): PayloadAnswer {
  const [result] = raw
  if (result === undefined) return { kind: 'bad', reason: 'answer-malformed' }
  if (result !== PAYLOAD_RESULT.success) return { kind: 'refused', reason: refusal(result) }
  if (raw.length < HEAD_BYTES) return { kind: 'bad', reason: 'answer-malformed' }
  const wireVersion = new DataView(raw.buffer, raw.byteOffset).getUint32(1, true)
  const data = snappyUnframe(raw.subarray(HEAD_BYTES), MAX_GOSSIP_BYTES)
  const envelope = data === null ? null : tryDecode(wireVersion, data)
  if (envelope === null) return { kind: 'bad', reason: 'answer-malformed' }
  if (envelope.payload.blockNumber !== number) return { kind: 'bad', reason: 'wrong-number' }
  const { payload, parentBeaconBlockRoot } = envelope
  const mismatch = payloadMismatch(payload, parentBeaconBlockRoot)
  if (mismatch !== null) return { kind: 'bad', reason: mismatch.kind }
  return { kind: 'payload', envelope }
}

function refusal(result: number): PayloadRefusal {
  if (result === PAYLOAD_RESULT.notFound) return 'not-found'
  return result === PAYLOAD_RESULT.invalidRequest ? 'invalid-request' : 'failed'
}

/** One version on the wire stands for two forms of payload; the length of the fixed part, written in it, tells which. */
function tryDecode(wireVersion: number, data: Uint8Array): PayloadEnvelope | null {
  const candidates: readonly PayloadVersion[] = wireVersion === 0 ? [2, 1] : wireVersion <= 2 ? [4, 3] : []
  for (const version of candidates) {
    try {
      return decodeSignedPart(version, data)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
    }
  }
  return null
}
