import { type Bytes32, CodecError, padLeft, type RlpInput, rlpBigint, rlpBytes } from '@keelson/primitives'
import type { AccountRangeRequest, ByteCodesRequest, StorageRangesRequest, TrieNodesRequest } from '../../sync/snap/ports.ts'
import { rlpString } from '../bounded-rlp.ts'
import { SNAP_CODES, SNAP_LIMITS } from './codes.ts'
import { readFields, readList } from './read-list.ts'

export type SnapRequest =
  | { readonly code: typeof SNAP_CODES.getAccountRange; readonly id: bigint; readonly request: AccountRangeRequest }
  | { readonly code: typeof SNAP_CODES.getStorageRanges; readonly id: bigint; readonly request: StorageRangesRequest }
  | { readonly code: typeof SNAP_CODES.getByteCodes; readonly id: bigint; readonly request: ByteCodesRequest }
  | { readonly code: typeof SNAP_CODES.getTrieNodes; readonly id: bigint; readonly request: TrieNodesRequest }

/** A request without its id. */
export type UnsentRequest = { [C in SnapRequest['code']]: Omit<Extract<SnapRequest, { code: C }>, 'id'> }[SnapRequest['code']]

const LAST_KEY = new Uint8Array(32).fill(0xff)

/** The fields after the request id. */
export function requestFields({ code, request }: UnsentRequest): readonly RlpInput[] {
  switch (code) {
    case SNAP_CODES.getAccountRange:
      return [request.root, request.origin, request.limit, request.bytes]
    case SNAP_CODES.getStorageRanges:
      return [request.root, request.accounts, request.origin, request.limit, request.bytes]
    case SNAP_CODES.getByteCodes:
      return [request.hashes, request.bytes]
    case SNAP_CODES.getTrieNodes:
      return [request.root, request.paths, request.bytes]
  }
}

/** Null for the code of a response. Throws CodecError `codec/rlp`. */
export function decodeRequest(code: number, payload: Uint8Array): SnapRequest | null {
  if (payload.length > SNAP_LIMITS.requestBytes) throw new CodecError('codec/rlp', `a request of ${payload.length} bytes`)
  switch (code) {
    case SNAP_CODES.getAccountRange: {
      const [id, root, origin, limit, bytes] = readFields(payload, 'GetAccountRange', 5) as Five
      return { code, id: integer(id), request: { root: hash(root), origin: hash(origin), limit: hash(limit), bytes: size(bytes) } }
    }
    case SNAP_CODES.getStorageRanges: {
      const [id, root, accounts, origin, limit, bytes] = readFields(payload, 'GetStorageRanges', 6) as Six
      const request = {
        root: hash(root),
        accounts: readList(accounts, 'accounts', SNAP_LIMITS.items).map(hash),
        origin: optionalHash(origin, new Uint8Array(32)),
        limit: optionalHash(limit, LAST_KEY),
        bytes: size(bytes),
      }
      return { code, id: integer(id), request }
    }
    case SNAP_CODES.getByteCodes: {
      const [id, hashes, bytes] = readFields(payload, 'GetByteCodes', 3) as Three
      return { code, id: integer(id), request: { hashes: readList(hashes, 'hashes', SNAP_LIMITS.items).map(hash), bytes: size(bytes) } }
    }
    case SNAP_CODES.getTrieNodes: {
      const [id, root, paths, bytes] = readFields(payload, 'GetTrieNodes', 4) as Four
      return { code, id: integer(id), request: { root: hash(root), paths: readPaths(paths), bytes: size(bytes) } }
    }
    default:
      return null
  }
}

type Three = [Uint8Array, Uint8Array, Uint8Array]
type Four = [...Three, Uint8Array]
type Five = [...Four, Uint8Array]
type Six = [...Five, Uint8Array]

/** A set holds the path of an account's node, or an account's hash and the paths of nodes of its storage. */
function readPaths(encoded: Uint8Array): Uint8Array[][] {
  let total = 0
  return readList(encoded, 'paths', SNAP_LIMITS.items).map((set) => {
    const items = readList(set, 'path set', SNAP_LIMITS.items - total + 1)
    if (items.length === 0) throw new CodecError('codec/rlp', 'an empty path set')
    total += Math.max(1, items.length - 1)
    if (total > SNAP_LIMITS.items) throw new CodecError('codec/rlp', `more than ${SNAP_LIMITS.items} paths`)
    return items.map((item) => rlpBytes(rlpString(item), 'path'))
  })
}

function hash(encoded: Uint8Array): Bytes32 {
  return rlpBytes(rlpString(encoded), 'hash', 32)
}

function optionalHash(encoded: Uint8Array, absent: Bytes32): Bytes32 {
  const bytes = rlpBytes(rlpString(encoded), 'hash')
  if (bytes.length === 0) return absent
  if (bytes.length > 32) throw new CodecError('codec/rlp', `a hash of ${bytes.length} bytes`)
  return padLeft(bytes, 32)
}

function integer(encoded: Uint8Array): bigint {
  return rlpBigint(rlpString(encoded), 'request id', 8)
}

function size(encoded: Uint8Array): number {
  const bytes = rlpBigint(rlpString(encoded), 'response bytes', 8)
  return bytes > BigInt(SNAP_LIMITS.softResponseBytes) ? SNAP_LIMITS.softResponseBytes : Number(bytes)
}
