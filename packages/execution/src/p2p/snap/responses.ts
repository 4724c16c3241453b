import { CodecError, rlpBigint, rlpBytes, rlpEncode, rlpEncodeList } from '@keelson/primitives'
import type { RangeEntry } from '@keelson/state'
import type { AccountRange, StorageRanges } from '../../sync/snap/ports.ts'
import { rlpString } from '../bounded-rlp.ts'
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

/** Null for the code of a request. Throws CodecError `codec/rlp`. */
export function decodeResponse(code: number, payload: Uint8Array): SnapResponse | null {
  if (payload.length > SNAP_LIMITS.responseBytes) throw new CodecError('codec/rlp', `a response of ${payload.length} bytes`)
  switch (code) {
    case SNAP_CODES.accountRange: {
      const [id, accounts, proof] = readFields(payload, 'AccountRange', 3) as [Uint8Array, Uint8Array, Uint8Array]
      const entries = readList(accounts, 'accounts', MAX_ENTRIES).map((entry): RangeEntry => {
        const [key, value] = readFields(entry, 'account', 2) as [Uint8Array, Uint8Array]
        return { key: rlpBytes(rlpString(key), 'account hash', 32), value }
      })
      return { code, id: integer(id), response: { accounts: entries, proof: readProof(proof) } }
    }
    case SNAP_CODES.storageRanges: {
      const [id, ranges, proof] = readFields(payload, 'StorageRanges', 3) as [Uint8Array, Uint8Array, Uint8Array]
      const slots = readList(ranges, 'ranges', SNAP_LIMITS.items).map((range) =>
        readList(range, 'slots', MAX_ENTRIES).map((entry): RangeEntry => {
          const [key, value] = readFields(entry, 'slot', 2) as [Uint8Array, Uint8Array]
          return { key: rlpBytes(rlpString(key), 'slot hash', 32), value: rlpBytes(rlpString(value), 'slot value') }
        }),
      )
      return { code, id: integer(id), response: { slots, proof: readProof(proof) } }
    }
    case SNAP_CODES.byteCodes:
    case SNAP_CODES.trieNodes: {
      const [id, items] = readFields(payload, 'items', 2) as [Uint8Array, Uint8Array]
      return { code, id: integer(id), response: readBlobs(items, SNAP_LIMITS.items) }
    }
    default:
      return null
  }
}

function readProof(encoded: Uint8Array): Uint8Array[] {
  return readBlobs(encoded, SNAP_LIMITS.proofNodes)
}

function readBlobs(encoded: Uint8Array, max: number): Uint8Array[] {
  return readList(encoded, 'items', max).map((item) => rlpBytes(rlpString(item), 'item'))
}

function integer(encoded: Uint8Array): bigint {
  return rlpBigint(rlpString(encoded), 'request id', 8)
}
