export interface MemoryUse {
  readonly name: string
  readonly maxBytes: number
  bytes(): number
}
