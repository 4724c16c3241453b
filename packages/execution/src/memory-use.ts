/** A cache or queue and its cap, for metrics. */
export interface MemoryUse {
  readonly name: string
  readonly maxBytes: number
  bytes(): number
}
