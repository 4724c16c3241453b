/** Messages about transactions: devp2p caps/eth.md#newpooledtransactionhashes-0x08 */
import { bytesToHex, CodecError, type Hash, hexToBytes, rlpBytes, rlpEncode, rlpEncodeList, rlpNumber } from '@keelson/primitives'
import { rlpString } from '../bounded-rlp.ts'
import { rawItems } from '../raw-list.ts'
import { envelopeFromRlp, envelopeToRlp } from './eth-messages.ts'

export interface Announced {
  readonly hash: Hash
  readonly type: number
  readonly size: number
}

export const MAX_ANNOUNCED = 4_096
const MAX_TRANSACTIONS = 4_096

export function encodeAnnouncement(announced: readonly Announced[]): Uint8Array {
  return rlpEncode([
    Uint8Array.from(announced, ({ type }) => type),
    announced.map(({ size }) => size),
    announced.map(({ hash }) => hexToBytes(hash)),
  ])
}

/** Ignores further fields. Throws CodecError. */
export function decodeAnnouncement(payload: Uint8Array): Announced[] {
  const [types, sizes, hashes] = rawItems(payload, 8, 'announcement')
  if (types === undefined || sizes === undefined || hashes === undefined)
    throw new CodecError('codec/rlp', 'announcement with too few fields')
  const typeBytes = rlpBytes(rlpString(types), 'types')
  const sizeItems = rawItems(sizes, MAX_ANNOUNCED, 'sizes')
  const hashItems = rawItems(hashes, MAX_ANNOUNCED, 'hashes')
  if (typeBytes.length !== hashItems.length || sizeItems.length !== hashItems.length)
    throw new CodecError('codec/rlp', `announcement of ${typeBytes.length} types, ${sizeItems.length} sizes and ${hashItems.length} hashes`)
  return hashItems.map((item, i) => ({
    hash: bytesToHex(rlpBytes(rlpString(item), 'hash', 32)) as Hash,
    type: typeBytes[i] as number,
    size: rlpNumber(rlpString(sizeItems[i] as Uint8Array), 'size'),
  }))
}

export function encodeTransactions(raw: readonly Uint8Array[]): Uint8Array {
  return rlpEncodeList(raw.map(envelopeToRlp))
}

/** The encodings as transactions are hashed. Throws CodecError. */
export function decodeTransactions(list: Uint8Array): Uint8Array[] {
  return rawItems(list, MAX_TRANSACTIONS, 'transactions').map(envelopeFromRlp)
}
