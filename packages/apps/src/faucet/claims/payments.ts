/** Pays reserved claims and resumes them after a restart. A claim is resent only when another transaction took its nonce. */
import {
  type ChainAccount,
  ClientError,
  judgeNonce,
  type RecoveredTransaction,
  type TransactionManager,
  type TransactionReceipt,
} from '@keelson/client'
import type { Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { type Claim, idOfLabel, labelOf } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'
import { PLAIN_GAS } from './recipient.ts'

export type Placement = { readonly kind: 'placed' } | { readonly kind: 'failed'; readonly error: ClientError }

export interface PaymentsOptions {
  readonly maxInFlight: number
  /** Number of blocks, including the payment's. */
  readonly confirmations: number
}

export interface PaymentsDependencies {
  readonly manager: Pick<TransactionManager, 'address' | 'send' | 'recover' | 'pendingCount'>
  readonly account: Pick<ChainAccount, 'headNumber' | 'nonce' | 'receipts' | 'transactionsAt'>
  readonly records: ClaimRecords
  /** Releases the claim's quotas. */
  readonly onFailed: (claim: Claim) => void
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Payments {
  readonly waiting: number
  /** Throws ClientError; retry until it succeeds. */
  recover(): Promise<void>
  /** The promise stays pending while the node is unavailable. */
  pay(id: number): Promise<Placement>
  step(): Promise<void>
}

/** Then the claim fails and its quota is released. */
const MAX_RESENDS = 3
/** Polls before an unused nonce is filled. */
const IDLE_LOOKS = 5
const NO_DATA = new Uint8Array(0)
/** After these errors nothing was sent. */
const CERTAIN: ReadonlySet<string> = new Set(['client/insufficient-funds', 'client/spending-limit', 'client/transaction-reverts'])

export function createPayments(options: PaymentsOptions, deps: PaymentsDependencies): Payments {
  const { manager, account, records, log } = deps
  const queue: number[] = []
  /** Claims in the queue or being sent; prevents concurrent sends. */
  const held = new Set<number>()
  const inherited = records.unsettled().map(({ id }) => id)
  const waiters = new Map<number, (placement: Placement) => void>()
  const outcomes = deps.metrics?.counter('payments_total', 'Payments by outcome', ['outcome'])
  deps.metrics?.gauge('claims_waiting', 'Claims waiting to be sent', [], () => queue.length)
  deps.metrics?.gauge('claims_unsure', 'Claims whose payment the chain has not decided yet', [], () => unsure().length)
  /** Claims already reported as undecidable. */
  const told = new Set<number>()
  let sending = 0
  let idleLooks = 0
  let recovered = false

  const unsure = () => records.unsettled().filter(({ state }) => state === 'unsure')
  const lost = () => unsure().filter(({ id }) => !held.has(id))

  const tell = (id: number, placement: Placement) => {
    waiters.get(id)?.(placement)
    waiters.delete(id)
  }

  const enqueue = (id: number) => {
    if (held.has(id)) return
    held.add(id)
    queue.push(id)
  }

  const pump = () => {
    while (recovered && queue.length > 0 && manager.pendingCount < options.maxInFlight && sending < options.maxInFlight) {
      const id = queue.shift() as number
      sending++
      void send(id).then((again) => {
        sending--
        held.delete(id)
        // The claim was reset to `reserved` meanwhile.
        if (records.get(id)?.state === 'reserved') enqueue(id)
        if (!again) pump()
      })
    }
  }

  async function send(id: number): Promise<boolean> {
    const claim = records.get(id)
    if (claim === undefined || claim.state !== 'reserved') return false
    try {
      const receipt = await manager.send({
        to: claim.address,
        data: NO_DATA,
        valueWei: claim.amountWei,
        gasLimit: claim.gasLimit,
        label: labelOf(claim),
        onPlaced: () => tell(id, { kind: 'placed' }),
      })
      await settle(id, receipt)
      return false
    } catch (error) {
      return afterFailure(id, error).catch((cause: unknown) => {
        log.error('cannot write the state of a claim', { id, error: cause })
        return false
      })
    }
  }

  async function settle(id: number, receipt: TransactionReceipt): Promise<void> {
    const claim = records.get(id)
    outcomes?.inc(1, { outcome: receipt.succeeded ? 'paid' : 'reverted' })
    if (receipt.succeeded || claim === undefined) return
    log.warn("the recipient's code rejected the payment", { id, address: claim.address, hash: receipt.transactionHash })
    await records.replace(claim, { ...claim, state: 'reverted' })
  }

  /** True when nothing was sent and `step` must retry. */
  async function afterFailure(id: number, error: unknown): Promise<boolean> {
    const claim = records.get(id)
    if (claim === undefined || (error instanceof ClientError && error.code === 'client/stopped')) return false
    if (error instanceof ClientError && CERTAIN.has(error.code)) {
      await giveUp(claim, error)
      return false
    }
    const { state, address } = claim
    if (state === 'reserved') {
      // Nothing was written, because the node was unavailable.
      log.warn('payment not sent, retrying', { id, address, error })
      return true
    }
    log.warn('payment status unknown; waiting for the chain to decide', { id, address, state, nonce: claim.nonce, error })
    return false
  }

  async function giveUp(claim: Claim, error: ClientError): Promise<void> {
    if (!(await records.replace(claim, { ...claim, state: 'failed' }))) return
    outcomes?.inc(1, { outcome: 'failed' })
    log.warn('payment failed; the claim does not count', { id: claim.id, address: claim.address, code: error.code, error })
    deps.onFailed(claim)
    tell(claim.id, { kind: 'failed', error })
  }

  const follow = ({ label, receipt }: RecoveredTransaction) => {
    const id = idOfLabel(label)
    if (id === null) return
    receipt
      .then((found) => settle(id, found))
      .catch((error: unknown) => afterFailure(id, error))
      .catch((error: unknown) => log.error('cannot write the state of a claim', { id, error }))
      .finally(pump)
  }

  async function askChain(claims: readonly Claim[]): Promise<void> {
    const head = await account.headNumber()
    const settledNonce = await account.nonce(Math.max(0, head - options.confirmations + 1))
    let stuck = false
    for (const claim of claims) {
      const [found] = (await account.receipts(claim.attempts)).filter((receipt) => receipt !== null)
      if (found !== undefined) {
        if (head - found.blockNumber + 1 < options.confirmations) continue
        if (!(await records.replace(claim, { ...claim, state: found.succeeded ? 'paid' : 'reverted' }))) continue
        outcomes?.inc(1, { outcome: found.succeeded ? 'paid' : 'reverted' })
        tell(claim.id, { kind: 'placed' })
        continue
      }
      // Its transaction can still be mined.
      if (claim.nonce !== null && settledNonce <= claim.nonce) {
        stuck = true
        continue
      }
      if (!(await isLost(claim, head)) || held.has(claim.id)) continue
      if (claim.resends >= MAX_RESENDS) {
        await giveUp(claim, new ClientError('client/transaction-rejected', 'temporary', `it was not mined in ${MAX_RESENDS + 1} attempts`))
        continue
      }
      // The claim may have changed during the query.
      if (!(await records.replace(claim, { ...claim, state: 'reserved', resends: claim.resends + 1 }))) continue
      log.info('payment was not mined; resending', { id: claim.id, address: claim.address, nonce: claim.nonce })
      enqueue(claim.id)
    }
    idleLooks = stuck && manager.pendingCount === 0 ? idleLooks + 1 : 0
    if (idleLooks < IDLE_LOOKS) return
    idleLooks = 0
    fillNonce()
  }

  /** A missing receipt is no proof: the node may be behind. */
  async function isLost(claim: Claim, head: number): Promise<boolean> {
    const { id, nonce, attempts } = claim
    if (nonce === null) return true
    const verdict = await judgeNonce(account, { nonce, attempts }, head, options.confirmations)
    if (verdict.kind === 'unknown' && !told.has(id)) {
      told.add(id)
      log.error('cannot determine whether a claim was paid; not paying again: use a node that keeps older state', {
        id,
        address: claim.address,
        nonce,
        reason: verdict.reason,
      })
    }
    return verdict.kind === 'another'
  }

  /** Otherwise the nonce of a lost payment stays unused, and its fate undecided. */
  function fillNonce(): void {
    log.info('sending an empty transaction to self to settle the nonce of a lost payment')
    const filler = { to: manager.address, data: NO_DATA, gasLimit: PLAIN_GAS, label: 'filler' }
    manager.send(filler).catch((error: unknown) => log.debug('the filler was not mined', { error }))
  }

  return {
    get waiting() {
      return queue.length
    },
    async recover() {
      if (recovered) return
      const transactions = await manager.recover()
      if (recovered) return
      recovered = true
      const journaled = new Set(transactions.map(({ label }) => idOfLabel(label)))
      for (const transaction of transactions) follow(transaction)
      let again = 0
      for (const id of inherited) {
        const claim = records.get(id)
        if (claim?.state === 'reserved' && !journaled.has(id)) {
          again++
          enqueue(claim.id)
        }
        // Only after another writer changed the journal.
        if (claim?.state === 'sent' && !journaled.has(claim.id)) await records.replace(claim, { ...claim, state: 'unsure' })
      }
      if (again > 0) log.info('resuming reserved claims of the last run', { count: again })
      pump()
    },
    pay: (id) =>
      new Promise((resolve) => {
        waiters.set(id, resolve)
        enqueue(id)
        pump()
      }),
    async step() {
      pump()
      const claims = lost()
      if (recovered && claims.length > 0) await askChain(claims)
      pump()
    },
  }
}
