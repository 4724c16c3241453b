/** A reorg can remove a confirmed payment, so payments are looked up until their blocks are final. */
import type { ChainAccount, TransactionReceipt } from '@keelson/client'
import type { Hash, Logger } from '@keelson/primitives'
import type { Claim } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'

export interface ConfirmedPaymentsDependencies {
  readonly account: Pick<ChainAccount, 'finalizedNumber' | 'receipts'>
  readonly records: Pick<ClaimRecords, 'unfinalized' | 'finalize' | 'replace'>
  readonly log: Logger
}

const POLLS_PER_CHECK = 10
/** Bounds the requests of a check; the rest is looked up by the next ones. */
const CLAIMS_PER_CHECK = 100

export class ConfirmedPayments {
  readonly #deps: ConfirmedPaymentsDependencies
  #polls = 0
  #checked = 0

  constructor(deps: ConfirmedPaymentsDependencies) {
    this.#deps = deps
  }

  /** Marks payments that left the chain `unsure`, so that they are made again once another transaction has their nonce. */
  async check(): Promise<void> {
    this.#polls++
    if (this.#polls % POLLS_PER_CHECK !== 0) return
    const { account, records, log } = this.#deps
    const claims = this.#next(records.unfinalized())
    if (claims.length === 0) return
    const finalized = await account.finalizedNumber()
    const receipts = await this.#receipts(claims)
    for (const claim of claims) {
      const found = claim.attempts.map((hash) => receipts.get(hash)).find((receipt) => receipt !== undefined)
      if (found !== undefined && finalized !== null && found.blockNumber <= finalized) records.finalize(claim)
      if (found !== undefined || !(await records.replace(claim, { ...claim, state: 'unsure' }))) continue
      log.warn('a reorg removed a confirmed payment; waiting for the chain to decide', {
        id: claim.id,
        address: claim.address,
        nonce: claim.nonce,
      })
    }
  }

  #next(claims: readonly Claim[]): readonly Claim[] {
    if (this.#checked >= claims.length) this.#checked = 0
    const next = claims.slice(this.#checked, this.#checked + CLAIMS_PER_CHECK)
    this.#checked += next.length
    return next
  }

  async #receipts(claims: readonly Claim[]): Promise<ReadonlyMap<Hash, TransactionReceipt>> {
    const found = await this.#deps.account.receipts(claims.flatMap(({ attempts }) => attempts))
    return new Map(found.filter((receipt) => receipt !== null).map((receipt) => [receipt.transactionHash, receipt]))
  }
}
