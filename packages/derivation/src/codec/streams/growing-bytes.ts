const FIRST_CAPACITY_BYTES = 64 * 1024

export class GrowingBytes {
  bytes = new Uint8Array(FIRST_CAPACITY_BYTES)
  length = 0

  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  append(source: Uint8Array): void {
    this.reserve(source.length)
    this.bytes.set(source, this.length)
    this.length += source.length
  }

  copyBack(distance: number, count: number): void {
    this.reserve(count)
    const { bytes } = this
    let to = this.length
    const end = to + count
    if (distance >= count) bytes.copyWithin(to, to - distance, end - distance)
    else for (let from = to - distance; to < end; ) bytes[to++] = bytes[from++] as number
    this.length = end
  }
}
