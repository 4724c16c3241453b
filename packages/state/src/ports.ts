/**
 * What `state` needs from the world and what it offers to an engine. The store has the same shape as
 * the one in `runtime`; the view is what `evm` declares as its own port.
 */
import type { Account, Bytes20, Bytes32 } from '@keelson/primitives'

export type KeyValueOp = { readonly put: Uint8Array; readonly value: Uint8Array } | { readonly del: Uint8Array }

export interface KeyValueRangeOptions {
  readonly reverse?: boolean
  readonly limit?: number
}

/** A store that is only read, or what stood in one at some moment. */
export interface KeyValueReader {
  /** Null when absent. */
  getSync(key: Uint8Array): Uint8Array | null
  /** `from` inclusive, `to` exclusive, as things stood when iteration began. */
  range(from: Uint8Array, to: Uint8Array, options?: KeyValueRangeOptions): AsyncIterable<readonly [Uint8Array, Uint8Array]>
}

export interface KeyValueStore extends KeyValueReader {
  /** All or nothing, also over a crash; batches become durable in the order they were given. */
  batch(ops: readonly KeyValueOp[], options?: { readonly sync?: boolean }): Promise<void>
  close(): Promise<void>
}

/**
 * The state after one block, read synchronously. Every method throws StateError when the value cannot be had:
 * `state/stale-view` when the block has left the layer tree and the history since the view was made.
 * What is returned may be shared and is not to be written to.
 */
export interface StateView {
  /** Null when there is no such account. */
  account(address: Bytes20): Account | null
  /** 32 bytes, zero when never written. */
  storage(address: Bytes20, slot: Bytes32): Bytes32
  /** Throws `state/missing-code` for a hash no account ever had. */
  code(codeHash: Bytes32): Uint8Array
}
