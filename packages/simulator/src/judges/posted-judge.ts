/**
 * The batcher posts an L2 block to L1 once. It begins again at the safe head only when derivation has read all that it sent, in this run
 * and in earlier ones, so that a restart is no reason to post twice. A reorg is one: blocks that were safe are so no longer, and the
 * transactions that carried them come back later, beside those that the batcher sends for them. An L1 that shows an old head looks the
 * same to the batcher.
 */
import type { PostedChannel } from './posted-channels.ts'
import type { ReportViolation } from './violation.ts'

export interface PostedView {
  /** Complete since the last look; null after a reorg. */
  readonly channels: readonly PostedChannel[] | null
  /** Whether the provider of L1 lags or lies now. */
  readonly isL1Wrong: boolean
  readonly l1Number: number
}

/** The transactions of a replaced branch are on the new one by then, and the batcher knows of the reorg. */
const SETTLED_L1_BLOCKS = 15

export class PostedJudge {
  readonly #report: ReportViolation
  #posted: PostedChannel[] = []
  #fromL1Number = 0

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look({ channels, isL1Wrong, l1Number }: PostedView): void {
    if (channels === null || isL1Wrong) {
      this.#posted = []
      this.#fromL1Number = l1Number + SETTLED_L1_BLOCKS
    }
    if (l1Number < this.#fromL1Number) return
    for (const channel of channels ?? []) this.#judge(channel)
  }

  #judge(channel: PostedChannel): void {
    // L1 replaced its origin while it was on its way, so that no block became safe from it.
    if (!channel.isOriginOnL1) return
    const { id, from, to } = channel
    const before = this.#posted.find((other) => other.from <= to && from <= other.to)
    if (before !== undefined) {
      this.#report('blocks are posted once', `${from} to ${to} in ${id}, after ${before.from} to ${before.to} in ${before.id}`)
    }
    this.#posted.push(channel)
  }
}
