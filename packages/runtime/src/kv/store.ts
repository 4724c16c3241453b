/**
 * The key-value store a role keeps its data in. Keys sort as bytes; the first byte is a numbered
 * bucket, listed by the package that owns it. `state` declares the same shape in its own ports.
 */
export type KeyValueOp = { readonly put: Uint8Array; readonly value: Uint8Array } | { readonly del: Uint8Array }

export interface KeyValueRangeOptions {
  readonly reverse?: boolean
  readonly limit?: number
}

export interface KeyValueStore {
  /** Null when absent. */
  getSync(key: Uint8Array): Uint8Array | null
  /** All or nothing, also over a crash; `sync` returns only when the disk has it. */
  batch(ops: readonly KeyValueOp[], options?: { readonly sync?: boolean }): Promise<void>
  /** `from` inclusive, `to` exclusive, as things stood when iteration began. */
  range(from: Uint8Array, to: Uint8Array, options?: KeyValueRangeOptions): AsyncIterable<readonly [Uint8Array, Uint8Array]>
  close(): Promise<void>
}
