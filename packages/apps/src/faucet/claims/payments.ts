/**
 * Pays reserved claims through the transaction manager: several under way at once, nonces in order, and after a restart
 * every claim goes on from where the journal says it stood. A claim whose transaction is lost sight of is begun anew
 * only when the chain shows that its nonce went to another.
 */
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
import type { ClaimBook } from './claim-book.ts'
import { PLAIN_GAS } from './recipient.ts'

/** What became of a payment when it was first tried; `placed`: journaled and on its way, its hash is in the claim. */
export type Placement = { readonly kind: 'placed' } | { readonly kind: 'failed'; readonly error: ClientError }

export interface PaymentsOptions {
  /** Transactions under way at once. */
  readonly maxInFlight: number
  /** L2 blocks on top until a payment counts, the including one counted. */
  readonly confirmations: number
}

export interface PaymentsDependencies {
  readonly manager: Pick<TransactionManager, 'address' | 'send' | 'recover' | 'pendingCount'>
  readonly account: Pick<ChainAccount, 'headNumber' | 'nonce' | 'receipts' | 'transactionsAt'>
  readonly book: ClaimBook
  /** Told of each claim whose payment certainly failed: its quotas are free again. */
  readonly onFailed: (claim: Claim) => void
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Payments {
  /** Claims that wait for their turn. */
  readonly waiting: number
  /** Takes up what an earlier run left. Throws ClientError; may be called again until it succeeds. */
  recover(): Promise<void>
  /** Of a claim that was just reserved; never rejects. Does not resolve while the node cannot be asked. */
  pay(id: number): Promise<Placement>
  /** Tries again what could not be tried, and asks the chain about claims it is not sure of. */
  step(): Promise<void>
}

/** A claim that the chain did not take so often is given up, and its quota back. */
const MAX_RESENDS = 3
/** Looks at the chain until a nonce that nothing else will use is used by us. */
const IDLE_LOOKS = 5
const NO_DATA = new Uint8Array(0)
/** Errors after which nothing of the transaction is anywhere. */
const CERTAIN: ReadonlySet<string> = new Set(['client/insufficient-funds', 'client/spending-limit', 'client/transaction-reverts'])

export function createPayments(options: PaymentsOptions, deps: PaymentsDependencies): Payments {
  const { manager, account, book, log } = deps
  const queue: number[] = []
  /** In the queue, or being sent: a claim is never in two hands. */
  const held = new Set<number>()
  /** What an earlier run left; later claims come through `pay`, once they are on disk. */
  const inherited = book.unsettled().map(({ id }) => id)
  const waiters = new Map<number, (placement: Placement) => void>()
  const outcomes = deps.metrics?.counter('payments_total', 'Payments by outcome', ['outcome'])
  deps.metrics?.gauge('claims_waiting', 'Claims that wait to be sent', [], () => queue.length)
  deps.metrics?.gauge('claims_unsure', 'Claims of which the chain has not yet said whether they were paid', [], () => unsure().length)
  /** Claims of which it was said that the node cannot tell; no more than may be unsettled. */
  const told = new Set<number>()
  let sending = 0
  let idleLooks = 0
  let recovered = false

  const unsure = () => book.unsettled().filter(({ state }) => state === 'unsure')
  /** Of those nobody is sending. */
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
        // the chain may have decided meanwhile that it is to be sent anew
        if (book.get(id)?.state === 'reserved') enqueue(id)
        if (!again) pump()
      })
    }
  }

  /** Resolves when the payment is settled or lost sight of; true when nothing of it was sent, and `step` is to try again. */
  async function send(id: number): Promise<boolean> {
    const claim = book.get(id)
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
        log.error('the state of a claim could not be written', { id, error: cause })
        return false
      })
    }
  }

  async function settle(id: number, receipt: TransactionReceipt): Promise<void> {
    const claim = book.get(id)
    outcomes?.inc(1, { outcome: receipt.succeeded ? 'paid' : 'reverted' })
    if (receipt.succeeded || claim === undefined) return
    log.warn("the recipient's code refused the payment", { id, address: claim.address, hash: receipt.transactionHash })
    await book.replace(claim, { ...claim, state: 'reverted' })
  }

  /** True when nothing of it was sent. */
  async function afterFailure(id: number, error: unknown): Promise<boolean> {
    const claim = book.get(id)
    if (claim === undefined || (error instanceof ClientError && error.code === 'client/stopped')) return false
    if (error instanceof ClientError && CERTAIN.has(error.code)) {
      await giveUp(claim, error)
      return false
    }
    const { state, address } = claim
    if (state === 'reserved') {
      // nothing of it was written: the node could not be asked
      log.warn('a payment could not be sent and is tried again', { id, address, error })
      return true
    }
    log.warn('lost sight of a payment; the chain will say what became of it', { id, address, state, nonce: claim.nonce, error })
    return false
  }

  async function giveUp(claim: Claim, error: ClientError): Promise<void> {
    if (!(await book.replace(claim, { ...claim, state: 'failed' }))) return
    outcomes?.inc(1, { outcome: 'failed' })
    log.warn('a payment failed; the claim does not count', { id: claim.id, address: claim.address, code: error.code, error })
    deps.onFailed(claim)
    tell(claim.id, { kind: 'failed', error })
  }

  const follow = ({ label, receipt }: RecoveredTransaction) => {
    const id = idOfLabel(label)
    if (id === null) return
    receipt
      .then((found) => settle(id, found))
      .catch((error: unknown) => afterFailure(id, error))
      .catch((error: unknown) => log.error('the state of a claim could not be written', { id, error }))
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
        if (!(await book.replace(claim, { ...claim, state: found.succeeded ? 'paid' : 'reverted' }))) continue
        outcomes?.inc(1, { outcome: found.succeeded ? 'paid' : 'reverted' })
        tell(claim.id, { kind: 'placed' })
        continue
      }
      // its transaction can still be mined until another has its nonce for good
      if (claim.nonce !== null && settledNonce <= claim.nonce) {
        stuck = true
        continue
      }
      if (!(await isLost(claim, head)) || held.has(claim.id)) continue
      if (claim.resends >= MAX_RESENDS) {
        await giveUp(claim, new ClientError('client/transaction-rejected', 'temporary', `it was not taken ${MAX_RESENDS + 1} times`))
        continue
      }
      // somebody else may have gone on with it while the chain was asked
      if (!(await book.replace(claim, { ...claim, state: 'reserved', resends: claim.resends + 1 }))) continue
      log.info('a payment was not mined and is sent anew', { id: claim.id, address: claim.address, nonce: claim.nonce })
      enqueue(claim.id)
    }
    idleLooks = stuck && manager.pendingCount === 0 ? idleLooks + 1 : 0
    if (idleLooks < IDLE_LOOKS) return
    idleLooks = 0
    fillNonce()
  }

  /** Only when another transaction is seen to have its nonce: that receipts are missing may be a node that is late. */
  async function isLost(claim: Claim, head: number): Promise<boolean> {
    const { id, nonce, attempts } = claim
    if (nonce === null) return true
    const verdict = await judgeNonce(account, { nonce, attempts }, head, options.confirmations)
    if (verdict.kind === 'unknown' && !told.has(id)) {
      told.add(id)
      log.error('cannot tell whether a claim was paid; it is not paid again: point the faucet at a node that keeps older state', {
        id,
        address: claim.address,
        nonce,
        reason: verdict.reason,
      })
    }
    return verdict.kind === 'another'
  }

  /** With nobody else to pay, the nonce of a lost payment would never go to another, and nothing would be decided. */
  function fillNonce(): void {
    log.info('sends nothing to itself, so that the nonce of a lost payment is decided')
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
        const claim = book.get(id)
        if (claim?.state === 'reserved' && !journaled.has(id)) {
          again++
          enqueue(claim.id)
        }
        // only when somebody else wrote in the journal
        if (claim?.state === 'sent' && !journaled.has(claim.id)) await book.replace(claim, { ...claim, state: 'unsure' })
      }
      if (again > 0) log.info('took up claims of the last run that were reserved and not sent', { count: again })
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
