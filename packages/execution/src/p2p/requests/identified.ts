/** Requests and responses of eth and snap: [request id, field, ...]. */
import { CodecError, type RlpInput, rlpBigint, rlpEncode } from '@keelson/primitives'
import { rlpString } from '../bounded-rlp.ts'
import { rawItems } from '../raw-list.ts'

export interface Identified {
  readonly id: bigint
  /** RLP items. */
  readonly fields: readonly [Uint8Array, ...Uint8Array[]]
}

const MAX_FIELDS = 8

/** Throws CodecError. */
export function decodeIdentified(payload: Uint8Array): Identified {
  const [id, first, ...others] = rawItems(payload, MAX_FIELDS, 'message')
  if (id === undefined || first === undefined) throw new CodecError('codec/rlp', 'message without request id or content')
  return { id: rlpBigint(rlpString(id), 'request id', 8), fields: [first, ...others] }
}

export function encodeIdentified(id: bigint, fields: readonly RlpInput[]): Uint8Array {
  return rlpEncode([id, ...fields])
}
