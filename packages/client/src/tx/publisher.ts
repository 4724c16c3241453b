import { type Clock, hexToBytes, type Logger, TX_BLOB, TX_FEE_MARKET } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import type { ManagedTransaction, Signer } from '../signer.ts'
import { type BlobSidecar, encodeWithSidecar } from './blob-sidecar.ts'
import type { ChainAccount } from './chain-account.ts'
import { type CostLimits, costRefusal } from './cost-limits.ts'
import { bumpFees, type FeePolicy, type FeeQuote, maxCostWei, raiseRefusal } from './fees.ts'
import type { JournalEntry, TransactionJournal } from './journal.ts'
import type { PendingTransaction } from './pending-transaction.ts'
import { classifySendFailure } from './send-failure.ts'

export interface PublisherOptions extends CostLimits {
  readonly chainId: bigint
  readonly resubmitAfterMs: number
  readonly policy: FeePolicy
}

export interface PublisherDependencies {
  readonly account: ChainAccount
  readonly signer: Signer
  readonly journal: TransactionJournal
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export type PublishOutcome =
  /** 'sent': the transaction is in a pool, or the next step sends it again. */
  { readonly kind: 'sent' } | { readonly kind: 'nonce-too-low' | 'refused'; readonly error: ClientError }

/** Replacing another transaction in the pool may take several raises. */
const MAX_BUMPS_AT_ONCE = 5

export class Publisher {
  readonly #options: PublisherOptions
  readonly #deps: PublisherDependencies
  readonly #bumps

  constructor(options: PublisherOptions, deps: PublisherDependencies) {
    const { chain } = deps.account
    this.#options = options
    this.#deps = deps
    this.#bumps = deps.metrics?.counter(
      `${chain.toLowerCase()}_fee_bumps_total`,
      `Times the price of a waiting ${chain} transaction was raised`,
    )
  }

  /** Raises the price when a quote is given. Throws only signer and journal errors. */
  async publish(transaction: PendingTransaction, quote: FeeQuote | null = null): Promise<PublishOutcome> {
    if (quote !== null) this.#raise(transaction, quote)
    for (let bumped = 0; ; bumped++) {
      transaction.announce = false
      try {
        await this.#sendOnce(transaction)
        this.#taken(transaction)
        return { kind: 'sent' }
      } catch (error) {
        const outcome = await this.#afterFailure(transaction, error, bumped)
        if (outcome !== 'again') return outcome
      }
    }
  }

  /** Journals before sending: every version that may be in a pool must be in the journal. */
  async #sendOnce(transaction: PendingTransaction): Promise<void> {
    const { account, signer, journal, clock, log } = this.#deps
    const unsigned = toTransaction(this.#options.chainId, transaction.entry, transaction.sidecar)
    const signed = await signer.signTransaction(unsigned).catch(signerFailed)
    if (!transaction.entry.attempts.includes(signed.hash)) {
      transaction.entry = { ...transaction.entry, attempts: [...transaction.entry.attempts, signed.hash] }
      await journal.put(transaction.entry)
    }
    transaction.sentMs = clock.monotonicMs()
    transaction.offered = true
    await account.sendRaw(transaction.sidecar === null ? signed.raw : encodeWithSidecar(signed, transaction.sidecar))
    const { nonce, label } = transaction.entry
    log.debug('sent', { nonce, hash: signed.hash, label, bytes: signed.raw.length })
  }

  /** Sets `heldBack` and returns false when a limit forbids the raise. */
  #raise(transaction: PendingTransaction, quote: FeeQuote): boolean {
    const { chain } = this.#deps.account
    const { entry } = transaction
    const { nonce, valueWei, gasLimit } = entry
    const fees = bumpFees(entry.fees, quote, this.#options.policy)
    const costWei = maxCostWei(fees, gasLimit, entry.blobs.length, valueWei)
    const refusal =
      raiseRefusal(chain, fees, quote, this.#options.policy) ?? costRefusal(chain, this.#options, { costWei, valueWei, gasLimit, nonce })
    if (refusal !== null && transaction.heldBack === null) {
      this.#deps.log.warn('a transaction waits and its price may not be raised', { nonce, reason: refusal })
    }
    transaction.heldBack = refusal
    if (refusal !== null) return false
    transaction.entry = { ...entry, fees }
    this.#bumps?.inc()
    this.#deps.log.info('raised the price of a waiting transaction', { nonce, maxFeePerGasWei: fees.maxFeePerGasWei })
    return true
  }

  async #raiseNow(transaction: PendingTransaction): Promise<boolean> {
    try {
      return this.#raise(transaction, await this.#deps.account.feeQuote(transaction.entry.blobs.length > 0))
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      transaction.announce = true
      return false
    }
  }

  async #afterFailure(transaction: PendingTransaction, error: unknown, bumped: number): Promise<PublishOutcome | 'again'> {
    if (!(error instanceof ClientError) || error.code === 'client/signer') throw error
    const { entry } = transaction
    const failure = classifySendFailure(error)
    if (failure !== 'known' && failure !== 'underpriced' && failure !== 'reserved') this.#notTaken(transaction, error)
    switch (failure) {
      case 'known':
        this.#taken(transaction)
        return { kind: 'sent' }
      case 'underpriced':
        if (bumped < MAX_BUMPS_AT_ONCE && (await this.#raiseNow(transaction))) return 'again'
        this.#notTaken(transaction, error)
        return { kind: 'sent' }
      case 'nonce-too-low':
        return { kind: 'nonce-too-low', error: this.#refused('client/nonce-taken', 'temporary', entry, error) }
      case 'insufficient-funds':
        return { kind: 'refused', error: this.#refused('client/insufficient-funds', 'temporary', entry, error) }
      case 'rejected':
        return { kind: 'refused', error: this.#refused('client/transaction-rejected', 'critical', entry, error) }
      case 'reserved':
        transaction.reservedSinceMs ??= this.#deps.clock.monotonicMs()
        transaction.announce = true
        return { kind: 'sent' }
      case 'later':
        transaction.announce = true
        this.#deps.log.debug('not accepted yet', { nonce: entry.nonce, error })
        return { kind: 'sent' }
    }
  }

  #taken(transaction: PendingTransaction): void {
    const { notTaken, reservedSinceMs, entry } = transaction
    if (reservedSinceMs !== null) transaction.heldBack = null
    transaction.reservedSinceMs = null
    if (notTaken?.said === true) this.#deps.log.info('the node takes a transaction that it did not take before', { nonce: entry.nonce })
    transaction.notTaken = null
    transaction.refusedHeads.clear()
  }

  /** Said once the transaction has waited for as long as a price may be too low: pools are full for a moment, too. */
  #notTaken(transaction: PendingTransaction, error: ClientError): void {
    const { chain } = this.#deps.account
    const nowMs = this.#deps.clock.monotonicMs()
    const { nonce, label } = transaction.entry
    transaction.notTaken ??= { sinceMs: nowMs, reason: '', said: false }
    const { notTaken } = transaction
    notTaken.reason = `${chain} does not take the transaction with nonce ${nonce}: ${error.message}`
    if (notTaken.said || nowMs - notTaken.sinceMs < this.#options.resubmitAfterMs) return
    notTaken.said = true
    this.#deps.log.warn('the node does not take a transaction; it is offered again and again', { nonce, label, error })
  }

  #refused(code: ClientError['code'], severity: 'temporary' | 'critical', { label, nonce }: JournalEntry, cause: ClientError): ClientError {
    const { account, signer } = this.#deps
    const remedy = code === 'client/insufficient-funds' ? `: fund ${signer.address} on ${account.chain}` : ''
    const message = `${account.chain} refused transaction ${label} with nonce ${nonce}: ${cause.message}${remedy}`
    return new ClientError(code, severity, message, { nonce }, { cause })
  }
}

function toTransaction(chainId: bigint, entry: JournalEntry, sidecar: BlobSidecar | null): ManagedTransaction {
  const { maxFeePerGasWei, maxPriorityFeePerGasWei, maxFeePerBlobGasWei } = entry.fees
  const fields = {
    chainId,
    nonce: entry.nonce,
    gasLimit: entry.gasLimit,
    to: entry.to === null ? null : hexToBytes(entry.to),
    valueWei: entry.valueWei,
    data: entry.data,
    accessList: [],
    maxFeePerGasWei,
    maxPriorityFeePerGasWei,
  }
  if (sidecar === null) return { type: TX_FEE_MARKET, ...fields }
  return { type: TX_BLOB, ...fields, maxFeePerBlobGasWei: maxFeePerBlobGasWei ?? 0n, blobVersionedHashes: sidecar.versionedHashes }
}

function signerFailed(error: unknown): never {
  if (!(error instanceof ClientError) || error.code === 'client/signer') throw error
  throw new ClientError('client/signer', error.severity, `the transaction could not be signed: ${error.message}`, {}, { cause: error })
}
