/** The first byte of a key is a bucket of the owning package. */
export type KeyValueOp = { readonly put: Uint8Array; readonly value: Uint8Array } | { readonly del: Uint8Array }

export interface KeyValueRangeOptions {
  readonly reverse?: boolean
  readonly limit?: number
}

export interface KeyValueReader {
  getSync(key: Uint8Array): Uint8Array | null
  /** `from` inclusive, `to` exclusive, as of the first step. */
  range(from: Uint8Array, to: Uint8Array, options?: KeyValueRangeOptions): AsyncIterable<readonly [Uint8Array, Uint8Array]>
}

export interface KeyValueStore extends KeyValueReader {
  /** Atomic across a crash; `sync` waits for the disk. */
  batch(ops: readonly KeyValueOp[], options?: { readonly sync?: boolean }): Promise<void>
  /** Reads outside this thread; absent where a read takes no time. */
  getMany?(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | null)[]>
  close(): Promise<void>
}

export interface KeyValueSnapshot extends KeyValueReader {
  close(): Promise<void>
}

export interface SnapshotKeyValueStore extends KeyValueStore {
  /** An open snapshot keeps replaced records on disk. */
  snapshot(): KeyValueSnapshot
}
