import type { Account, Bytes20, Bytes32 } from '@keelson/primitives'

export type KeyValueOp = { readonly put: Uint8Array; readonly value: Uint8Array } | { readonly del: Uint8Array }

export interface KeyValueRangeOptions {
  readonly reverse?: boolean
  readonly limit?: number
}

export interface KeyValueReader {
  getSync(key: Uint8Array): Uint8Array | null
  /** Yields keys from `from` (inclusive) to `to` (exclusive), as of the first step. */
  range(from: Uint8Array, to: Uint8Array, options?: KeyValueRangeOptions): AsyncIterable<readonly [Uint8Array, Uint8Array]>
}

export interface KeyValueStore extends KeyValueReader {
  /** Atomic across a crash; batches become durable in call order. */
  batch(ops: readonly KeyValueOp[], options?: { readonly sync?: boolean }): Promise<void>
  /** Reads outside this thread. A store without it is not worth reading ahead from. */
  getMany?(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | null)[]>
  close(): Promise<void>
}

/**
 * The state after one block. Do not modify returned arrays. Throws `state/stale-view` when the block left layer tree and history.
 */
export interface StateView {
  account(address: Bytes20): Account | null
  storage(address: Bytes20, slot: Bytes32): Bytes32
  code(codeHash: Bytes32): Uint8Array
}
