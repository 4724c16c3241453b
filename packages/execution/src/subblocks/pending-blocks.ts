import type { Logger } from '@keelson/primitives'
import { createEmitter, type Unsubscribe } from '../emitter.ts'
import type { PendingBlock } from './pending-block.ts'

/** Holds the newest state of the block that is being built; null while none is known. */
export class PendingBlocks {
  readonly #changes
  #newest: PendingBlock | null = null

  constructor(log: Logger) {
    this.#changes = createEmitter<PendingBlock | null>(log)
  }

  get newest(): PendingBlock | null {
    return this.#newest
  }

  set(pending: PendingBlock | null): void {
    if (pending === this.#newest) return
    this.#newest = pending
    this.#changes.emit(pending)
  }

  on(listener: (pending: PendingBlock | null) => void): Unsubscribe {
    return this.#changes.on(listener)
  }
}
