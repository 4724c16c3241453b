/** An accepted transaction that was in a safe block is in the finalized chain. */
import type { Block, BlockId, Hash } from '@keelson/primitives'
import type { RunningNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

export interface TransactionsView {
  readonly safe: BlockId
  readonly finalized: BlockId
  /** Null for a block that the execution client does not have. */
  block(hash: Hash): Pick<Block, 'header' | 'transactions'> | null
}

/** Null while the node does not know its heads. */
export function transactionsOf({ execution, consensus }: RunningNode): TransactionsView | null {
  const { heads } = consensus.driver
  return heads === null ? null : { safe: heads.safe, finalized: heads.finalized, block: execution.chain.block }
}

export class TransactionsJudge {
  readonly #report: ReportViolation
  /** Number of the latest safe block that had the transaction. */
  readonly #safe = new Map<Hash, number>()
  readonly #finalized = new Set<Hash>()
  #lastSafe: BlockId | null = null
  #finalizedUntil = 0

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look({ safe, finalized, block }: TransactionsView): void {
    const isKnown = (at: BlockId) => at.number === 0 || at.hash === this.#lastSafe?.hash
    const newlySafe = walkBack(safe, block, (at) => isKnown(at) || at.number <= this.#finalizedUntil)
    if (newlySafe !== null) {
      for (const { number, hashes } of newlySafe.reverse()) for (const hash of hashes) this.#safe.set(hash, number)
      this.#lastSafe = safe
    }
    const newlyFinalized = walkBack(finalized, block, ({ number }) => number <= this.#finalizedUntil)
    if (newlyFinalized === null) return
    for (const { hashes } of newlyFinalized) {
      for (const hash of hashes) {
        this.#finalized.add(hash)
        this.#safe.delete(hash)
      }
    }
    this.#finalizedUntil = Math.max(this.#finalizedUntil, finalized.number)
  }

  /** Called once, at the end. */
  conclude(accepted: ReadonlyMap<Hash, number>): void {
    for (const hash of accepted.keys()) {
      const number = this.#safe.get(hash)
      if (number === undefined || number > this.#finalizedUntil || this.#finalized.has(hash)) continue
      this.#report('accepted transactions that were safe are finalized', `${hash} was in safe block ${number}`)
    }
  }
}

interface BlockHashes {
  readonly number: number
  readonly hashes: readonly Hash[]
}

/** From `head` down to a block that ends the walk, without that one. Null if a block is missing. */
function walkBack(head: BlockId, block: TransactionsView['block'], isEnd: (at: BlockId) => boolean): BlockHashes[] | null {
  const found: BlockHashes[] = []
  for (let at = head; !isEnd(at); ) {
    const read = block(at.hash)
    if (read === null) return null
    found.push({ number: at.number, hashes: read.transactions.map(({ hash }) => hash) })
    at = { number: at.number - 1, hash: read.header.parentHash }
  }
  return found
}
