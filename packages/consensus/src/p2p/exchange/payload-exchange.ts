/** specs: protocol/rollup-node-p2p.md#payload_by_number */
import {
  bigintToBytes,
  bytesToBigint,
  CodecError,
  concatBytes,
  decodeSignedPart,
  encodeSignedPart,
  type Hash,
  type PayloadEnvelope,
  type PayloadMismatch,
  type PayloadVersion,
  payloadMismatch,
  payloadVersion,
} from '@keelson/primitives'
import { MAX_GOSSIP_BYTES } from '../gossip/snappy-block.ts'
import { mostTransactions, readAnswerHead, statedTransactions } from './answer-head.ts'
import { snappyFrames, snappyUnframe, snappyUnframeFirst } from './snappy-frames.ts'

export const PAYLOAD_RESULT = { success: 0, notFound: 1, invalidRequest: 2, failed: 3 } as const
export type PayloadRefusal = 'not-found' | 'invalid-request' | 'failed'

export type PayloadAnswer =
  | { readonly kind: 'payload'; readonly envelope: PayloadEnvelope }
  /** The peer does not serve the block, or it exceeds the gas limit for blocks from peers. */
  | { readonly kind: 'refused'; readonly reason: PayloadRefusal | 'too-much-gas' }
  | { readonly kind: 'other-chain' }
  /**
   * The answer is malformed, or has more transactions than its gas allows. This does not prove a lie: a later fork may change the
   * format.
   */
  | { readonly kind: 'bad'; readonly reason: 'answer-malformed' | 'too-many-transactions' }
  /** The content contradicts the stated hash or number: no correct peer has such a block. */
  | { readonly kind: 'lie'; readonly reason: 'wrong-number' | 'gas-above-limit' | PayloadMismatch['kind'] }

export const PAYLOAD_REQUEST_BYTES = 8
const HEAD_BYTES = 5
const MALFORMED: PayloadAnswer = { kind: 'bad', reason: 'answer-malformed' }
/** Frames of incompressible data are slightly longer than the data. */
export const MAX_PAYLOAD_ANSWER_BYTES = MAX_GOSSIP_BYTES + 64 * 1024

/** Name used by op-node and this client. */
export function payloadProtocol(chainId: bigint): string {
  return `/opstack/req/payload_by_number/${chainId}/0`
}

/** Name in the specification, used by kona. */
export function specifiedPayloadProtocol(chainId: bigint): string {
  return `${payloadProtocol(chainId)}/`
}

export function encodePayloadRequest(number: number): Uint8Array {
  return bigintToBytes(BigInt(number), PAYLOAD_REQUEST_BYTES).reverse()
}

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

/** The cheapest checks come first: fixed fields, number of transactions, hashes. */
export function decodePayloadAnswer(raw: Uint8Array, number: number, hash: Hash): PayloadAnswer {
  const [result] = raw
  if (result === undefined) return MALFORMED
  if (result !== PAYLOAD_RESULT.success) return { kind: 'refused', reason: refusal(result) }
  if (raw.length < HEAD_BYTES) return MALFORMED
  const wireVersion = new DataView(raw.buffer, raw.byteOffset).getUint32(1, true)
  const frames = raw.subarray(HEAD_BYTES)
  const versions = versionsOf(wireVersion)
  const [version] = versions
  const first = snappyUnframeFirst(frames)
  const head = version === undefined || first === null ? null : readAnswerHead(version, first)
  if (version === undefined || first === null || head === null) return MALFORMED
  if (head.blockNumber !== BigInt(number)) return { kind: 'lie', reason: 'wrong-number' }
  if (head.blockHash !== hash) return { kind: 'other-chain' }
  if (head.gasUsed > head.gasLimit) return { kind: 'lie', reason: 'gas-above-limit' }
  const most = mostTransactions(head)
  if (most === null) return { kind: 'refused', reason: 'too-much-gas' }
  const tooMany: PayloadAnswer = { kind: 'bad', reason: 'too-many-transactions' }
  if (statedTransactions(version, head, first) > most) return tooMany
  const data = snappyUnframe(frames, MAX_GOSSIP_BYTES)
  if (data === null) return MALFORMED
  // the first frame may end before the transaction list, so its length is checked again
  if (statedTransactions(version, head, data) > most) return tooMany
  const envelope = tryDecode(versions, data)
  if (envelope === null) return MALFORMED
  const mismatch = payloadMismatch(envelope.payload, envelope.parentBeaconBlockRoot)
  return mismatch === null ? { kind: 'payload', envelope } : { kind: 'lie', reason: mismatch.kind }
}

function refusal(result: number): PayloadRefusal {
  if (result === PAYLOAD_RESULT.notFound) return 'not-found'
  return result === PAYLOAD_RESULT.invalidRequest ? 'invalid-request' : 'failed'
}

/** One wire version denotes two payload versions; the length of the fixed part distinguishes them. */
function versionsOf(wireVersion: number): readonly PayloadVersion[] {
  if (wireVersion === 0) return [2, 1]
  return wireVersion <= 2 ? [4, 3] : []
}

function tryDecode(versions: readonly PayloadVersion[], data: Uint8Array): PayloadEnvelope | null {
  for (const version of versions) {
    try {
      return decodeSignedPart(version, data)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
    }
  }
  return null
}
