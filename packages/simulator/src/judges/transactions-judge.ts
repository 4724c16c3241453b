/** An accepted transaction that was in a safe block is in the finalized chain. */
import type { Hash } from '@keelson/primitives'
import type { RunningNode } from '../roles/simulated-node.ts'
import type { ReportViolation } from './violation.ts'

export class TransactionsJudge {
  readonly #report: ReportViolation
  /** Number of the safe block that had the transaction. */
  readonly #safe = new Map<Hash, number>()
  readonly #finalized = new Set<Hash>()
  #safeUntil = 0
  #finalizedUntil = 0

  constructor(report: ReportViolation) {
    this.#report = report
  }

  look({ execution, consensus }: RunningNode): void {
    const { heads } = consensus.driver
    if (heads === null) return
    const hashesAt = (number: number) => {
      const hash = execution.chain.canonicalHash(number)
      return (hash === null ? null : execution.chain.block(hash))?.transactions.map((tx) => tx.hash) ?? []
    }
    this.#safeUntil = Math.min(this.#safeUntil, heads.safe.number)
    while (this.#safeUntil < heads.safe.number) for (const hash of hashesAt(++this.#safeUntil)) this.#safe.set(hash, this.#safeUntil)
    while (this.#finalizedUntil < heads.finalized.number) {
      for (const hash of hashesAt(++this.#finalizedUntil)) this.#finalized.add(hash)
    }
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
