/** Unless L1 is reorganized, a block that the sequencer has published is never replaced, and becomes safe. */
import type { BlockId, Hash } from '@keelson/primitives'
import type { NodeHeads } from './heads-judge.ts'
import { ReorgPeace, type ReorgView } from './reorg-peace.ts'
import type { ReportViolation } from './violation.ts'

export interface PublishedView extends ReorgView {
  /** Those that hear the sequencers. */
  readonly validators: readonly NodeHeads[]
  /** Null while it does not run. */
  readonly sequencer: NodeHeads | null
}

/** Limit for each node and look, reached only by a node that catches up. */
const MAX_NOTED = 1_000

export class PublishedJudge {
  readonly #report: ReportViolation
  /** Unsafe blocks by number. */
  readonly #published = new Map<number, Hash>()
  /** Heard from the sequencer, by number. */
  readonly #heard = new Map<number, Hash>()
  readonly #notedUntil = new Map<string, number>()
  readonly #peace = new ReorgPeace()

  constructor(report: ReportViolation) {
    this.#report = report
  }

  /** Call it for each block that a node hears from the sequencer, which may be replaced before the next look. */
  hear({ number, hash }: BlockId, view: Pick<ReorgView, 'nowMs' | 'reorgs'>): void {
    if (this.#peace.holdsAt(view)) return
    const before = this.#heard.get(number) ?? hash
    if (before !== hash) this.#report('one block at a height is published', `${number}: ${before} was sent, and then ${hash}`)
    this.#heard.set(number, before)
    if (this.#heard.size > MAX_NOTED) this.#heard.delete(this.#heard.keys().next().value as number)
  }

  look(view: PublishedView): void {
    const { validators, sequencer } = view
    if (this.#peace.lasts(view)) {
      this.#published.clear()
      this.#heard.clear()
      this.#notedUntil.clear()
      return
    }
    for (const validator of validators) this.#note(validator)
    if (sequencer !== null) this.#compare(sequencer)
  }

  #note({ name, heads: { unsafe, safe }, ancestor }: NodeHeads): void {
    const from = Math.max(this.#notedUntil.get(name) ?? 0, safe.number, unsafe.number - MAX_NOTED)
    for (let number = unsafe.number; number > from; number--) {
      const hash = ancestor(unsafe, number)
      if (hash === null) return
      const before = this.#published.get(number) ?? hash
      if (before !== hash) this.#report('one block at a height is published', `${number}: ${before}, and now ${hash} at ${name}`)
      this.#published.set(number, before)
    }
    this.#notedUntil.set(name, unsafe.number)
  }

  #compare({ heads: { safe }, ancestor }: NodeHeads): void {
    for (const [number, hash] of this.#published) {
      if (number > safe.number) continue
      const now = ancestor(safe, number)
      if (now === null) return
      if (now !== hash) this.#report('published blocks become safe', `block ${number} was ${hash}, safe is ${now}`)
      this.#published.delete(number)
    }
  }
}
