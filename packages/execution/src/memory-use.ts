/** Memory of a cache or queue and its limit, for metrics. */
export interface MemoryUse {
  readonly name: string
  readonly maxBytes: number
  bytes(): number
}
