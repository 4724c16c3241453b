/** Transactions to the batch inbox on the canonical chain of L1. Each block is read once. */
import { type Address, type Hash, toAddress } from '@keelson/primitives'
import type { L1Block } from '../l1/l1-block.ts'
import type { SimulatedL1 } from '../l1/simulated-l1.ts'

export class BatchCounter {
  readonly #l1: Pick<SimulatedL1, 'head' | 'block'>
  readonly #inbox: Address
  /** Up to and including a block. */
  readonly #counts = new Map<Hash, number>()

  constructor(l1: Pick<SimulatedL1, 'head' | 'block'>, inbox: Address) {
    this.#l1 = l1
    this.#inbox = inbox
  }

  count(): number {
    const unread: L1Block[] = []
    let block: L1Block | null = this.#l1.head
    while (block !== null && !this.#counts.has(block.hash)) {
      unread.push(block)
      block = this.#l1.block(block.header.parentHash)
    }
    let count = block === null ? 0 : (this.#counts.get(block.hash) ?? 0)
    for (const { hash, transactions } of unread.reverse()) {
      count += transactions.filter(({ to }) => to !== null && toAddress(to) === this.#inbox).length
      this.#counts.set(hash, count)
    }
    return count
  }
}
