/** Keys in order, in chunks of bounded size, so that an insertion moves few of them. */
const MAX_CHUNK = 512

export class SortedKeys {
  readonly #chunks: string[][] = [[]]
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Undefined from `size` on. */
  at(position: number): string | undefined {
    let left = position
    for (const chunk of this.#chunks) {
      if (left < chunk.length) return chunk[left]
      left -= chunk.length
    }
    return undefined
  }

  has(key: string): boolean {
    const chunk = this.#chunks[this.#chunkOf(key)] as string[]
    return chunk[lowerBound(chunk, key)] === key
  }

  /** `key` must not be in the set. */
  add(key: string): void {
    const index = this.#chunkOf(key)
    const chunk = this.#chunks[index] as string[]
    this.#size++
    chunk.splice(lowerBound(chunk, key), 0, key)
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(index + 1, 0, chunk.splice(MAX_CHUNK / 2))
  }

  /** `key` must be in the set. */
  delete(key: string): void {
    const index = this.#chunkOf(key)
    const chunk = this.#chunks[index] as string[]
    this.#size--
    chunk.splice(lowerBound(chunk, key), 1)
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(index, 1)
  }

  /** At most `limit` keys from `from` (inclusive) to `to` (exclusive), from the end if `reverse`. */
  range(from: string, to: string, limit: number, reverse: boolean): string[] {
    const found: string[] = []
    const step = reverse ? -1 : 1
    for (let i = this.#chunkOf(reverse ? to : from); i >= 0 && i < this.#chunks.length; i += step) {
      const chunk = this.#chunks[i] as string[]
      const start = lowerBound(chunk, from)
      const end = lowerBound(chunk, to)
      if (found.length >= limit || (start >= end && isPast(chunk, from, to, reverse))) break
      const left = limit - found.length
      const part = reverse ? chunk.slice(Math.max(start, end - left), end).reverse() : chunk.slice(start, Math.min(end, start + left))
      found.push(...part)
    }
    return found
  }

  /** The last chunk that starts at or before the key. */
  #chunkOf(key: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (((this.#chunks[middle] as string[])[0] as string) <= key) low = middle
      else high = middle - 1
    }
    return low
  }
}

function isPast(chunk: readonly string[], from: string, to: string, reverse: boolean): boolean {
  const edge = reverse ? chunk[chunk.length - 1] : chunk[0]
  if (edge === undefined) return true
  return reverse ? edge < from : edge >= to
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
