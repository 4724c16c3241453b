/**
 * A block that the sequencer has published is never replaced, and becomes safe, while its L1 origin is on L1. A reorg of L1 may replace
 * the blocks whose origins it replaced, and no others: origins only rise along a chain, so those below the reorg stay whole, and a node
 * resets to the highest block whose origin L1 still has.
 */
import type { BlockId, Hash } from '@keelson/primitives'
import type { NodeHeads } from './heads-judge.ts'
import type { ReportViolation } from './violation.ts'

export interface PublishedBlock extends BlockId {
  readonly l1Origin: BlockId
}

/** Whether the block is on the canonical chain of L1. A block that was replaced never returns. */
export type IsOnL1 = (l1Block: BlockId) => boolean

export interface PublishedView {
  /** Those that hear the sequencers. */
  readonly validators: readonly NodeHeads[]
  /** Null while it does not run. */
  readonly sequencer: NodeHeads | null
  readonly isOnL1: IsOnL1
}

/** Limit for each node and look, reached only by a node that catches up. */
const MAX_NOTED = 1_000

type Blocks = Map<number, PublishedBlock>

export class PublishedJudge {
  readonly #report: ReportViolation
  /** Unsafe blocks of validators, by number. */
  readonly #published: Blocks = new Map()
  /** Heard from the sequencer, by number. */
  readonly #heard: Blocks = new Map()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  /** Call it for each block that a node hears from the sequencer, which may be replaced before the next look. */
  hear(block: PublishedBlock, isOnL1: IsOnL1): void {
    const { number, hash } = block
    const before = this.#heard.get(number)
    if (before?.hash === hash) return
    // The message may have been on its way since before the reorg.
    if (!isOnL1(block.l1Origin)) return
    if (before !== undefined && isOnL1(before.l1Origin)) {
      this.#report('one block at a height is published', `${number}: ${before.hash} was sent, and then ${hash}`)
    }
    this.#heard.set(number, block)
    if (this.#heard.size > MAX_NOTED) this.#heard.delete(this.#heard.keys().next().value as number)
  }

  look({ validators, sequencer, isOnL1 }: PublishedView): void {
    for (const [number, { l1Origin }] of this.#published) if (!isOnL1(l1Origin)) this.#published.delete(number)
    for (const validator of validators) this.#note(validator, isOnL1)
    // A safe head that L1 has replaced lasts until the next reset.
    if (sequencer?.isSafeOriginCanonical === true) this.#compare(sequencer)
  }

  #note({ name, heads: { unsafe, safe }, ancestor, originOf }: NodeHeads, isOnL1: IsOnL1): void {
    const from = Math.max(safe.number, unsafe.number - MAX_NOTED)
    for (let number = unsafe.number; number > from; number--) {
      const hash = ancestor(unsafe, number)
      if (hash === null) return
      const before = this.#published.get(number)
      // Those below were noted with it.
      if (before?.hash === hash) return
      const l1Origin = originOf(hash)
      // The node has not seen a reorg yet.
      if (l1Origin === null || !isOnL1(l1Origin)) continue
      if (before !== undefined) {
        this.#report('one block at a height is published', `${number}: ${before.hash}, and now ${hash} at ${name}`)
      }
      this.#published.set(number, { number, hash, l1Origin })
    }
  }

  #compare({ heads: { safe }, ancestor }: NodeHeads): void {
    for (const [number, { hash }] of this.#published) {
      if (number > safe.number) continue
      const now: Hash | null = ancestor(safe, number)
      if (now === null) return
      if (now !== hash) this.#report('published blocks become safe', `block ${number} was ${hash}, safe is ${now}`)
      this.#published.delete(number)
    }
  }
}
