import type { L1Reader } from '@keelson/derivation'
import type { BlockId, L1BlockRef } from '@keelson/primitives'
import { describeBlock } from '../blocks/l2-heads.ts'
import { ConsensusError } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { createL1Pace } from './l1-pace.ts'

export type L1Change =
  | { readonly kind: 'l1-head' | 'l1-safe' | 'l1-finalized'; readonly block: L1BlockRef }
  | { readonly kind: 'l1-reorg'; readonly lastCommon: number; readonly head: L1BlockRef }

type L1Reorg = Extract<L1Change, { readonly kind: 'l1-reorg' }>

export interface L1ViewDependencies {
  readonly l1: Pick<L1Reader, 'blockRef'>
  readonly metrics: Pick<ConsensusMetrics, 'l1'>
  readonly walk: { end(): Promise<void> }
  readonly onChange: () => void
}

/** L1 as last seen, written only by the L1 watcher. */
export class L1View {
  readonly #deps: L1ViewDependencies
  readonly #pace = createL1Pace()
  #head: L1BlockRef | null = null
  #safe: L1BlockRef | null = null
  #finalized: L1BlockRef | null = null
  #changes: L1Change[] = []
  #headReplaced = false
  #reorg: L1Reorg | null = null
  #replacedAfter: number | null = null

  constructor(deps: L1ViewDependencies) {
    this.#deps = deps
  }

  get head(): L1BlockRef | null {
    return this.#head
  }

  get safe(): L1BlockRef | null {
    return this.#safe
  }

  get finalized(): L1BlockRef | null {
    return this.#finalized
  }

  get blockTimeSec(): number | null {
    return this.#pace.blockTimeSec
  }

  get replacedAfter(): number | null {
    return this.#replacedAfter
  }

  get hasChanges(): boolean {
    return this.#changes.length > 0
  }

  update(change: L1Change): void {
    this.#changes = [...this.#changes.filter(({ kind }) => kind !== change.kind), this.#apply(change)]
    this.#deps.onChange()
  }

  /** Returns and clears the pending changes, keeping only the latest of each kind. */
  drainChanges(): { readonly changes: readonly L1Change[]; readonly headReplaced: boolean } {
    const drained = { changes: this.#changes, headReplaced: this.#headReplaced }
    this.#changes = []
    this.#headReplaced = false
    return drained
  }

  /** Throws ConsensusError `consensus/l1-reorg` (reset) if L1 replaced a block in use. */
  async assertNotReplaced(inUse: readonly (BlockId | null | undefined)[]): Promise<void> {
    const reorg = this.#reorg
    if (reorg === null) return
    const { lastCommon, head } = reorg
    for (const block of inUse) {
      if (block === undefined || block === null || block.number <= lastCommon) continue
      if ((await this.#deps.l1.blockRef(block.number))?.hash === block.hash) continue
      await this.#noteReplaced(lastCommon)
      throw new ConsensusError(
        'consensus/l1-reorg',
        'reset',
        `L1 is at ${describeBlock(head)} and has replaced its blocks after ${lastCommon}; ${describeBlock(block)} was in use`,
        { number: block.number, hash: block.hash },
      )
    }
    if (this.#reorg === reorg) this.#reorg = null
  }

  async resetBegins(): Promise<void> {
    if (this.#reorg !== null) await this.#noteReplaced(this.#reorg.lastCommon)
  }

  resetDone(): void {
    this.#replacedAfter = null
  }

  #apply(change: L1Change): L1Change {
    const { metrics } = this.#deps
    switch (change.kind) {
      case 'l1-head':
        this.#setHead(change.block)
        return change
      case 'l1-safe':
        this.#safe = change.block
        metrics.l1('safe', change.block)
        return change
      case 'l1-finalized':
        this.#finalized = change.block
        metrics.l1('finalized', change.block)
        return change
      case 'l1-reorg':
        this.#reorg = { ...change, lastCommon: Math.min(change.lastCommon, this.#reorg?.lastCommon ?? change.lastCommon) }
        return this.#reorg
    }
  }

  #setHead(block: L1BlockRef): void {
    const before = this.#head
    if (before !== null && block.hash !== before.hash && block.parentHash !== before.hash) this.#headReplaced = true
    this.#head = block
    this.#pace.note(block)
    this.#deps.metrics.l1('head', block)
  }

  async #noteReplaced(lastCommon: number): Promise<void> {
    this.#reorg = null
    this.#replacedAfter = Math.min(lastCommon, this.#replacedAfter ?? lastCommon)
    await this.#deps.walk.end()
  }
}

/** Returns an L1Reader whose reads by number find no block within `depth` of the head, so that shallow reorgs go unnoticed. */
export function withConfirmationDepth(l1: L1Reader, depth: number, head: () => L1BlockRef | null): L1Reader {
  if (depth === 0) return l1
  return {
    header: (hash) => l1.header(hash),
    transactions: (hash) => l1.transactions(hash),
    receipts: (hash) => l1.receipts(hash),
    async blockRef(at) {
      if (typeof at !== 'number' || at === 0) return l1.blockRef(at)
      const top = head()
      return top === null || at + depth > top.number ? null : l1.blockRef(at)
    },
  }
}
