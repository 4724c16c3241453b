/** sfc32: the same seed gives the same case on every machine. */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0
    this.#b = stream | 0
    this.#c = 0x9e3779b9 | 0
    for (let i = 0; i < 12; i++) this.uint32()
  }

  uint32(): number {
    const t = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t
    return (t + this.#c) >>> 0
  }

  below(count: number): number {
    return Math.floor((this.uint32() / 2 ** 32) * count)
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, value] of choices) {
      left -= weight
      if (left < 0) return value
    }
    throw new Error('weighted() needs at least one choice with a weight above zero')
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }
}
