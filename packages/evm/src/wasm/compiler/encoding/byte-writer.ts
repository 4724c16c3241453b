const TEXT = new TextEncoder()

/** WebAssembly core specification 2.0, section 5.2.2. */
export class ByteWriter {
  private bytes: Uint8Array
  private used = 0

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.used
  }

  byte(value: number): void {
    if (this.used === this.bytes.length) this.grow(1)
    this.bytes[this.used++] = value
  }

  raw(values: ArrayLike<number>): void {
    if (this.used + values.length > this.bytes.length) this.grow(values.length)
    this.bytes.set(values, this.used)
    this.used += values.length
  }

  /** Accepts numbers below 2^32. */
  unsigned(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80)
      rest >>>= 7
    }
    this.byte(rest)
  }

  /** Takes signed and unsigned integers. */
  signed32(value: number): void {
    let rest = value | 0
    for (;;) {
      const low = rest & 0x7f
      rest >>= 7
      const last = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
      this.byte(last ? low : low | 0x80)
      if (last) return
    }
  }

  signed64(value: bigint): void {
    let rest = BigInt.asIntN(64, value)
    while (rest < -0x40000000n || rest > 0x3fffffffn) {
      this.byte(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    this.signed32(Number(rest))
  }

  text(value: string): void {
    this.vector(TEXT.encode(value))
  }

  vector(content: ArrayLike<number>): void {
    this.unsigned(content.length)
    this.raw(content)
  }

  written(): Uint8Array {
    return this.bytes.subarray(0, this.used)
  }

  private grow(extra: number): void {
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.used + extra))
    larger.set(this.written())
    this.bytes = larger
  }
}
