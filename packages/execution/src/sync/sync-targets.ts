/** What the consensus client wants to be fetched: the head of its newest forkchoice, as long as it is unknown here. */
import { encodeHeader, type ForkchoiceState, type Hash } from '@keelson/primitives'
import { createMemoryCache } from '../chain/memory-cache.ts'
import { blockMemoryBytes } from '../chain/memory-sizes.ts'
import type { Unsubscribe } from '../emitter.ts'
import type { CoveredBlock } from '../import/covered-block.ts'
import type { MemoryUse } from '../memory-use.ts'
import type { RawHeader } from './skeleton/raw-header.ts'

const MAX_OFFERED = 64
const MAX_OFFERED_BYTES = 32 * 2 ** 20

export class SyncTargets {
  #current: ForkchoiceState | null = null
  readonly #listeners = new Set<() => void>()
  readonly #offered = createMemoryCache<CoveredBlock>({
    maxEntries: MAX_OFFERED,
    maxBytes: MAX_OFFERED_BYTES,
    bytesOf: ({ block }) => blockMemoryBytes(block),
  })
  readonly memory: MemoryUse = { name: 'sync-payloads', maxBytes: MAX_OFFERED_BYTES, bytes: () => this.#offered.calculatedSize }

  get current(): ForkchoiceState | null {
    return this.#current
  }

  want(state: ForkchoiceState): void {
    const before = this.#current
    this.#current = state
    if (before?.head !== state.head) this.#changed()
  }

  /** The head is known, invalid, or no longer wanted. */
  drop(): void {
    if (this.#current === null) return
    this.#current = null
    this.#changed()
  }

  /** A payload whose parent is unknown here. */
  offer(block: CoveredBlock): void {
    this.#offered.set(block.block.hash, block)
  }

  offered(hash: Hash): CoveredBlock | null {
    return this.#offered.get(hash) ?? null
  }

  /** Headers of offered payloads that lead from a block to `head`, ascending; null when one of them was not offered. */
  pathTo(head: Hash, from: Hash): readonly RawHeader[] | null {
    const path: RawHeader[] = []
    for (let hash = head; hash !== from; ) {
      const one = this.header(hash)
      if (one === null) return null
      path.push(one)
      hash = one.header.parentHash
    }
    return path.reverse()
  }

  header(hash: Hash): RawHeader | null {
    const block = this.offered(hash)?.block
    return block === undefined ? null : { hash, header: block.header, raw: encodeHeader(block.header) }
  }

  /** Resolves when there is a target. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#current !== null) return
    await new Promise<void>((resolve, reject) => {
      const over = () => {
        unsubscribe()
        signal.removeEventListener('abort', over)
        if (signal.aborted) reject(signal.reason)
        else resolve()
      }
      const unsubscribe = this.onChange(over)
      signal.addEventListener('abort', over, { once: true })
      if (signal.aborted) over()
    })
  }

  onChange(listener: () => void): Unsubscribe {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
