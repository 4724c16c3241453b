/**
 * A restart at the safe head. It waits until all transactions of this and earlier runs are settled and derivation has passed them
 * on L1, so that no block is missed or posted twice.
 */
import type { Logger, SyncStatus } from '@keelson/primitives'
import type { BatcherMetrics } from './metrics.ts'
import type { L1Prices, L1Sender } from './ports.ts'
import { MOST_BLOCKS_AHEAD, type Submissions } from './submissions.ts'

export interface RestartDependencies {
  readonly submissions: Submissions
  readonly sender: Pick<L1Sender, 'recover'>
  readonly prices: Pick<L1Prices, 'headNumber'> | null
  readonly metrics: Pick<BatcherMetrics, 'restarted'>
  readonly log: Logger
}

export class Restart {
  readonly #deps: RestartDependencies
  #reason: string | null = 'started'
  #recovered = false
  #firstHead: number | null = null
  #senderHead: number | null = null

  constructor(deps: RestartDependencies) {
    this.#deps = deps
  }

  get reason(): string | null {
    return this.#reason
  }

  begin(reason: string): void {
    this.#deps.log.info('restarting at the safe head once all transactions are settled', { reason })
    this.#deps.metrics.restarted()
    this.#reason = reason
  }

  finish(): void {
    this.#reason = null
  }

  async recover(): Promise<void> {
    if (this.#recovered) return
    const { sender, submissions, log } = this.#deps
    const left = await sender.recover()
    this.#recovered = true
    for (const { receipt } of left) submissions.watch(receipt)
    if (left.length > 0) log.info('waiting for transactions of the last run', { count: left.length })
  }

  /** Returns the reason to wait, or null if all transactions are settled and derived. */
  async notReady(status: SyncStatus): Promise<string | null> {
    const { prices, submissions } = this.#deps
    const head = status.headL1.number
    const senderHead = (await prices?.headNumber?.()) ?? null
    // A node that names a head which L1 does not reach may not stop the batcher.
    this.#senderHead = senderHead === null ? null : Math.min(senderHead, head + MOST_BLOCKS_AHEAD)
    this.#firstHead ??= Math.max(head, this.#senderHead ?? 0)
    if (submissions.sending) return 'an L1 transaction is being sent'
    if (submissions.pendingCount > 0) return `${submissions.pendingCount} L1 transactions are not settled`
    const needed = this.#neededL1Block(this.#firstHead, head)
    if (status.currentL1.number >= needed) return null
    return `L1 is derived to block ${status.currentL1.number}, batches may be in blocks up to ${needed}`
  }

  #neededL1Block(firstHead: number, head: number): number {
    const { highestInclusion } = this.#deps.submissions
    const consensusIsLate = this.#senderHead !== null && this.#senderHead > head
    // After a reorg, L1 may not reach the needed height soon.
    if (head < Math.max(firstHead, highestInclusion) && !consensusIsLate) return head
    // Unknown batches of an earlier run were on L1 when this run began.
    return Math.max(firstHead, highestInclusion === 0 ? 0 : highestInclusion + 1)
  }
}
