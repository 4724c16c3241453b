/** What snap sync needs of the execution network. */
import type { Bytes32 } from '@keelson/primitives'
import type { RangeEntry } from '@keelson/state'
import type { PooledPeer } from '../ports.ts'

export interface AccountRangeRequest {
  readonly root: Bytes32
  readonly origin: Bytes32
  /** The response ends with the first account at or above it. */
  readonly limit: Bytes32
  readonly bytes: number
}

export interface StorageRangesRequest {
  readonly root: Bytes32
  readonly accounts: readonly Bytes32[]
  /** Bounds of the slots of the first account. */
  readonly origin: Bytes32
  readonly limit: Bytes32
  readonly bytes: number
}

export interface ByteCodesRequest {
  readonly hashes: readonly Bytes32[]
  readonly bytes: number
}

export interface TrieNodesRequest {
  readonly root: Bytes32
  /** Sets of an account's path, or of an account's hash and paths in its storage; in hex-prefix form. */
  readonly paths: readonly (readonly Uint8Array[])[]
  readonly bytes: number
}

export interface AccountRange {
  /** Values are RLP, without the hashes of empty storage and empty code. */
  readonly accounts: readonly RangeEntry[]
  readonly proof: readonly Uint8Array[]
}

export interface StorageRanges {
  /** Per account; values are leaves of the trie. */
  readonly slots: readonly (readonly RangeEntry[])[]
  /** Proves the range of the last account. */
  readonly proof: readonly Uint8Array[]
}

/** Responses are bounded in number and size, and otherwise unchecked. Requests reject when the peer leaves or `signal` aborts. */
export interface SnapPeer extends PooledPeer {
  accountRange(request: AccountRangeRequest, signal: AbortSignal): Promise<AccountRange>
  storageRanges(request: StorageRangesRequest, signal: AbortSignal): Promise<StorageRanges>
  byteCodes(request: ByteCodesRequest, signal: AbortSignal): Promise<readonly Uint8Array[]>
  trieNodes(request: TrieNodesRequest, signal: AbortSignal): Promise<readonly Uint8Array[]>
}
