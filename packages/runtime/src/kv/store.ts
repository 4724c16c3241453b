/**
 * The key-value store a role keeps its data in. Keys sort as bytes; the first byte is a numbered
 * bucket, listed by the package that owns it. `state` declares the same shape in its own ports.
 */
export type KeyValueOp = { readonly put: Uint8Array; readonly value: Uint8Array } | { readonly del: Uint8Array }

export interface KeyValueRangeOptions {
  readonly reverse?: boolean
  readonly limit?: number
}

export interface KeyValueReader {
  /** Null when absent. */
  getSync(key: Uint8Array): Uint8Array | null
  /** `from` inclusive, `to` exclusive, as things stood when iteration began. */
  range(from: Uint8Array, to: Uint8Array, options?: KeyValueRangeOptions): AsyncIterable<readonly [Uint8Array, Uint8Array]>
}

export interface KeyValueStore extends KeyValueReader {
  /** All or nothing, also over a crash; `sync` returns only when the disk has it. */
  batch(ops: readonly KeyValueOp[], options?: { readonly sync?: boolean }): Promise<void>
  close(): Promise<void>
}

/** The store as it stood at one moment; nothing is read from it once it is closed. */
export interface KeyValueSnapshot extends KeyValueReader {
  close(): Promise<void>
}

export interface SnapshotKeyValueStore extends KeyValueStore {
  /** Shows every batch that was done when it was taken. While it is open the store keeps what later batches replace. */
  snapshot(): KeyValueSnapshot
}
