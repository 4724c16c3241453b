import type { L1BlockRef } from '@keelson/primitives'
import type { L1Reader } from '../ports.ts'

const SPARE = 2

export class KnownOrigins {
  readonly #l1: Pick<L1Reader, 'blockRef'>
  readonly #capacity: number
  readonly #blocks = new Map<number, L1BlockRef>()

  constructor(l1: Pick<L1Reader, 'blockRef'>, sequencingWindowL1Blocks: number) {
    this.#l1 = l1
    this.#capacity = sequencingWindowL1Blocks + SPARE
  }

  learn(block: L1BlockRef): void {
    this.#blocks.delete(block.number)
    this.#blocks.set(block.number, block)
    for (const number of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#capacity) return
      this.#blocks.delete(number)
    }
  }

  async from(first: number, lastEpoch: number, inclusion: L1BlockRef): Promise<readonly L1BlockRef[]> {
    const wanted = Math.min(lastEpoch + 1, first + this.#capacity)
    const end = Math.min(inclusion.number, Math.max(first + 1, wanted))
    const origins: L1BlockRef[] = []
    for (let number = first; number <= end; number++) {
      const origin = number === inclusion.number ? inclusion : await this.#at(number)
      if (origin === null) break
      origins.push(origin)
    }
    return origins
  }

  async #at(number: number): Promise<L1BlockRef | null> {
    const found = this.#blocks.get(number) ?? (await this.#l1.blockRef(number))
    if (found !== null) this.learn(found)
    return found
  }
}
