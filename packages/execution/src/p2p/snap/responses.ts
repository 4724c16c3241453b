import { CodecError, rlpBytes, rlpEncode, rlpEncodeList } from '@keelson/primitives'
import type { RangeEntry } from '@keelson/state'
import type { AccountRange, StorageRanges } from '../../sync/snap/ports.ts'
import { rlpString } from '../bounded-rlp.ts'
import type { Identified } from '../requests/identified.ts'
import { SNAP_CODES, SNAP_LIMITS } from './codes.ts'
import { readFields, readList } from './read-list.ts'

export type SnapResponse =
  | { readonly code: typeof SNAP_CODES.accountRange; readonly id: bigint; readonly response: AccountRange }
  | { readonly code: typeof SNAP_CODES.storageRanges; readonly id: bigint; readonly response: StorageRanges }
  | {
      readonly code: typeof SNAP_CODES.byteCodes | typeof SNAP_CODES.trieNodes
      readonly id: bigint
      readonly response: readonly Uint8Array[]
    }

/** The smallest slot takes a hash of 33 bytes, a value of one and a head of one. */
const MAX_ENTRIES = Math.floor(SNAP_LIMITS.responseBytes / 35)

export function encodeResponse(message: SnapResponse): Uint8Array {
  const { id, response } = message
  switch (message.code) {
    case SNAP_CODES.accountRange: {
      const { accounts, proof } = response as AccountRange
      const entries = accounts.map(({ key, value }) => rlpEncodeList([rlpEncode(key), value]))
      return rlpEncodeList([rlpEncode(id), rlpEncodeList(entries), rlpEncode(proof)])
    }
    case SNAP_CODES.storageRanges: {
      const { slots, proof } = response as StorageRanges
      return rlpEncode([id, slots.map((range) => range.map(({ key, value }) => [key, value])), proof])
    }
    default:
      return rlpEncode([id, response as readonly Uint8Array[]])
  }
}

/** Reads the fields after the request id. Throws CodecError `codec/rlp`. */
export function decodeResponse(code: number, fields: Identified['fields']): SnapResponse['response'] {
  const bytes = fields.reduce((sum, { length }) => sum + length, 0)
  if (bytes > SNAP_LIMITS.responseBytes) throw new CodecError('codec/rlp', `a response of ${bytes} bytes`)
  const [first, second] = fields
  switch (code) {
    case SNAP_CODES.accountRange: {
      const accounts = readList(first, 'accounts', MAX_ENTRIES).map((entry): RangeEntry => {
        const [key, value] = readFields(entry, 'account', 2) as [Uint8Array, Uint8Array]
        return { key: rlpBytes(rlpString(key), 'account hash', 32), value }
      })
      return { accounts, proof: readProof(second) }
    }
    case SNAP_CODES.storageRanges: {
      const slots = readList(first, 'ranges', SNAP_LIMITS.items).map((range) =>
        readList(range, 'slots', MAX_ENTRIES).map((entry): RangeEntry => {
          const [key, value] = readFields(entry, 'slot', 2) as [Uint8Array, Uint8Array]
          return { key: rlpBytes(rlpString(key), 'slot hash', 32), value: rlpBytes(rlpString(value), 'slot value') }
        }),
      )
      return { slots, proof: readProof(second) }
    }
    default:
      return readBlobs(first, SNAP_LIMITS.items)
  }
}

function readProof(encoded: Uint8Array | undefined): Uint8Array[] {
  if (encoded === undefined) throw new CodecError('codec/rlp', 'a range without a proof')
  return readBlobs(encoded, SNAP_LIMITS.proofNodes)
}

function readBlobs(encoded: Uint8Array, max: number): Uint8Array[] {
  return readList(encoded, 'items', max).map((item) => rlpBytes(rlpString(item), 'item'))
}
