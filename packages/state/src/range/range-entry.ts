export interface RangeEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}
