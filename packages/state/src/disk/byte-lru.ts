/** LRU cache limited by total bytes. */
export class ByteLru<V> {
  private readonly entries = new Map<string, { readonly value: V; readonly bytes: number }>()
  readonly maxBytes: number
  private readonly sizeOf: (value: V) => number
  private bytes = 0

  constructor(maxBytes: number, sizeOf: (value: V) => number) {
    this.maxBytes = maxBytes
    this.sizeOf = sizeOf
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V): void {
    this.delete(key)
    const bytes = ENTRY_OVERHEAD_BYTES + key.length + this.sizeOf(value)
    if (bytes > this.maxBytes) return
    this.entries.set(key, { value, bytes })
    this.bytes += bytes
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.maxBytes) break
      this.entries.delete(oldest)
      this.bytes -= entry.bytes
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.bytes -= entry.bytes
  }

  clear(): void {
    this.entries.clear()
    this.bytes = 0
  }

  get usedBytes(): number {
    return this.bytes
  }
}

const ENTRY_OVERHEAD_BYTES = 120
