/** A payment is resent only when another transaction took its nonce. */
import { type ChainAccount, ClientError, judgeNonce, type TransactionManager } from '@keelson/client'
import type { Logger } from '@keelson/primitives'
import type { Claim } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'
import type { PaymentOutcomes } from './payment-outcomes.ts'
import type { PaymentQueue } from './payment-queue.ts'
import { PLAIN_GAS } from './recipient.ts'

export interface UnsurePaymentsDependencies {
  readonly manager: Pick<TransactionManager, 'address' | 'send' | 'pendingCount'>
  readonly account: Pick<ChainAccount, 'headNumber' | 'nonce' | 'receipts' | 'transactionsAt'>
  readonly records: ClaimRecords
  readonly queue: PaymentQueue
  readonly outcomes: PaymentOutcomes
  readonly log: Logger
}

const MAX_RESENDS = 3
const IDLE_POLLS = 5
const NO_DATA = new Uint8Array(0)

export class UnsurePayments {
  readonly #confirmations: number
  readonly #deps: UnsurePaymentsDependencies
  readonly #reported = new Set<number>()
  #idlePolls = 0

  constructor(confirmations: number, deps: UnsurePaymentsDependencies) {
    this.#confirmations = confirmations
    this.#deps = deps
  }

  get count(): number {
    return this.#unsure().length
  }

  async check(): Promise<void> {
    const { account, manager, queue } = this.#deps
    const claims = this.#unsure().filter(({ id }) => !queue.has(id))
    if (claims.length === 0) return
    const head = await account.headNumber()
    const settledNonce = await account.nonce(Math.max(0, head - this.#confirmations + 1))
    let stuck = false
    for (const claim of claims) if (await this.#checkOne(claim, head, settledNonce)) stuck = true
    this.#idlePolls = stuck && manager.pendingCount === 0 ? this.#idlePolls + 1 : 0
    if (this.#idlePolls < IDLE_POLLS) return
    this.#idlePolls = 0
    this.#fillNonce()
  }

  #unsure(): readonly Claim[] {
    return this.#deps.records.unsettled().filter(({ state }) => state === 'unsure')
  }

  /** Returns true when the payment's nonce is unused, so that it can still be mined. */
  async #checkOne(claim: Claim, head: number, settledNonce: bigint): Promise<boolean> {
    const { account, records, queue, outcomes, log } = this.#deps
    const [found] = (await account.receipts(claim.attempts)).filter((receipt) => receipt !== null)
    if (found !== undefined) {
      if (head - found.blockNumber + 1 >= this.#confirmations) await outcomes.found(claim, found.succeeded)
      return false
    }
    if (claim.nonce !== null && settledNonce <= claim.nonce) return true
    if (!(await this.#isLost(claim, head)) || queue.has(claim.id)) return false
    if (claim.resends >= MAX_RESENDS) {
      const text = `it was not mined in ${MAX_RESENDS + 1} attempts`
      await outcomes.failed(claim, new ClientError('client/transaction-rejected', 'temporary', text))
      return false
    }
    if (!(await records.replace(claim, { ...claim, state: 'reserved', resends: claim.resends + 1 }))) return false
    log.info('payment was not mined; resending', { id: claim.id, address: claim.address, nonce: claim.nonce })
    queue.add(claim.id)
    return false
  }

  /** A missing receipt is no proof: the node may lag. */
  async #isLost({ id, nonce, attempts, address }: Claim, head: number): Promise<boolean> {
    if (nonce === null) return true
    const verdict = await judgeNonce(this.#deps.account, { nonce, attempts }, head, this.#confirmations)
    if (verdict.kind === 'unknown' && !this.#reported.has(id)) {
      this.#reported.add(id)
      this.#deps.log.error('cannot determine whether a claim was paid; not paying again: use a node that keeps older state', {
        id,
        address,
        nonce,
        reason: verdict.reason,
      })
    }
    return verdict.kind === 'another'
  }

  /** Without this, the nonce of a lost payment may stay unused and the payment undecided. */
  #fillNonce(): void {
    const { manager, log } = this.#deps
    log.info('sending an empty transaction to self to settle the nonce of a lost payment')
    const filler = { to: manager.address, data: NO_DATA, gasLimit: PLAIN_GAS, label: 'filler' }
    manager.send(filler).catch((error: unknown) => log.debug('the filler was not mined', { error }))
  }
}
