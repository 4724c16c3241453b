/** Turns candidates into signed transactions and gets them into the pool, raising prices within the spending limit. */
import { type Clock, type Crypto, hexToBytes, type Logger, TX_BLOB, TX_FEE_MARKET } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { BLOB_BYTES } from '../beacon/verify-blobs.ts'
import { ClientError } from '../client-error.ts'
import type { ManagedTransaction, Signer } from '../signer.ts'
import { type BlobProver, type BlobSidecar, buildBlobSidecar, encodeWithSidecar, type SidecarForm } from './blob-sidecar.ts'
import type { ChainAccount } from './chain-account.ts'
import { bumpFees, type FeePolicy, type FeeQuote, maxCostWei, priceRefusal, raiseRefusal, suggestFees } from './fees.ts'
import type { JournalEntry, TransactionJournal } from './journal.ts'
import { createPendingTransaction, type PendingTransaction } from './pending-transaction.ts'
import { classifySendFailure } from './send-failure.ts'
import type { TransactionCandidate } from './transaction-candidate.ts'

export interface PublisherOptions {
  readonly chainId: bigint
  readonly maxCostWei: bigint
  readonly maxCostOption?: string
  readonly maxFee?: FeeLimit | null
  readonly policy: FeePolicy
  /** Of the present time: the chain may change it. Default: one proof a blob. */
  readonly sidecarForm?: () => SidecarForm
  readonly unsupportedFork?: () => string | null
  /** What may still be spent, those of this nonce not counted; null for no limit. */
  leftWei(except: bigint | null): bigint | null
}

/** Of one transaction, its value left out. */
export interface FeeLimit {
  readonly wei: bigint
  /** The operator's option that sets it, for messages. */
  readonly option: string
}

export interface PublisherDependencies {
  readonly account: ChainAccount
  readonly signer: Signer
  readonly journal: TransactionJournal
  readonly kzg: BlobProver
  readonly crypto: Pick<Crypto, 'sha256'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export type PublishOutcome =
  /** In a pool, or to be sent again at the next step. */
  { readonly kind: 'sent' } | { readonly kind: 'nonce-too-low' | 'refused'; readonly error: ClientError }

export interface Draft {
  readonly entry: Omit<JournalEntry, 'nonce'>
  readonly sidecar: BlobSidecar | null
}

const PLAIN_GAS = 21_000n
/** A pool may want more than one raise above what another transaction with the nonce offers. */
const MAX_BUMPS_AT_ONCE = 5

export function createPublisher(options: PublisherOptions, dependencies: PublisherDependencies) {
  const { account, signer, journal, clock, log } = dependencies
  const { chain } = account
  const bumps = dependencies.metrics?.counter(
    `${chain.toLowerCase()}_fee_bumps_total`,
    `Times the price of a waiting ${chain} transaction was raised`,
  )

  const sidecarFor = async (blobs: readonly Uint8Array[]): Promise<BlobSidecar | null> =>
    blobs.length === 0 ? null : buildBlobSidecar(blobs, options.sidecarForm?.() ?? 'blob-proofs', dependencies.kzg, dependencies.crypto)

  /** Why a transaction that may cost so much is not to be sent; null when it is. */
  const costRefusal = (costWei: bigint, valueWei: bigint, gasLimit: bigint, except: bigint | null): string | null => {
    const { maxFee = null } = options
    const feeWei = costWei - valueWei
    if (maxFee !== null && feeWei > maxFee.wei) {
      return `its fee could be ${feeWei} wei (${gasLimit} gas at the prices that the node of ${chain} gives), the limit is ${maxFee.wei} (${maxFee.option})`
    }
    if (costWei > options.maxCostWei) {
      const named = options.maxCostOption === undefined ? '' : ` (${options.maxCostOption})`
      return `it could cost ${costWei} wei, the limit is ${options.maxCostWei}${named}`
    }
    const leftWei = options.leftWei(except)
    if (leftWei === null || costWei <= leftWei) return null
    return `it could cost ${costWei} wei, ${leftWei > 0n ? leftWei : 0n} are left of what an hour may cost (--txmgr.max-spend-per-hour)`
  }

  const spendingLimit = (reason: string) =>
    new ClientError('client/spending-limit', 'temporary', `a transaction was not sent: ${reason}; wait, or raise the limit`, {})

  /** Everything but the nonce. Throws ClientError `client/unsupported-fork`, `client/spending-limit`, and what estimating throws. */
  const draft = async (candidate: TransactionCandidate, quote: FeeQuote): Promise<Draft> => {
    const fork = options.unsupportedFork?.() ?? null
    if (fork !== null) throw new ClientError('client/unsupported-fork', 'temporary', `a transaction was not sent: ${fork}`)
    const refusal = priceRefusal(chain, quote, options.policy)
    if (refusal !== null) throw spendingLimit(refusal)
    const fees = suggestFees(quote, options.policy)
    const { to, data } = candidate
    const blobs = candidate.blobs ?? []
    const valueWei = candidate.valueWei ?? 0n
    const sidecar = await sidecarFor(blobs)
    const blobVersionedHashes = sidecar?.versionedHashes ?? []
    const { maxFeePerBlobGasWei } = fees
    const gasLimit =
      candidate.gasLimit ??
      withMargin(await account.estimateGas({ to, data, valueWei, blobVersionedHashes, maxFeePerBlobGasWei })) + (candidate.spareGas ?? 0n)
    const costWei = maxCostWei(fees, gasLimit, blobs.length, valueWei)
    const tooMuch = costRefusal(costWei, valueWei, gasLimit, null)
    if (tooMuch !== null) throw spendingLimit(tooMuch)
    return { entry: { label: candidate.label ?? '', to, data, valueWei, gasLimit, blobs, fees, attempts: [] }, sidecar }
  }

  const toTransaction = (entry: JournalEntry, sidecar: BlobSidecar | null): ManagedTransaction => {
    const { maxFeePerGasWei, maxPriorityFeePerGasWei, maxFeePerBlobGasWei } = entry.fees
    const fields = {
      chainId: options.chainId,
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

  /** Signs, writes the version down, sends it. Throws ClientError of the sending. */
  const sendOnce = async (transaction: PendingTransaction): Promise<void> => {
    const signed = await signer.signTransaction(toTransaction(transaction.entry, transaction.sidecar)).catch(signerFailed)
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

  /** False when a limit forbids it: the old price stands, and the transaction says why. */
  const raise = (transaction: PendingTransaction, quote: FeeQuote): boolean => {
    const { entry } = transaction
    const fees = bumpFees(entry.fees, quote, options.policy)
    const costWei = maxCostWei(fees, entry.gasLimit, entry.blobs.length, entry.valueWei)
    const refusal = raiseRefusal(chain, fees, quote, options.policy) ?? costRefusal(costWei, entry.valueWei, entry.gasLimit, entry.nonce)
    if (refusal !== null && transaction.heldBack === null) {
      log.warn('a transaction waits and its price may not be raised', { nonce: entry.nonce, reason: refusal })
    }
    transaction.heldBack = refusal
    if (refusal !== null) return false
    transaction.entry = { ...entry, fees }
    bumps?.inc()
    log.info('raised the price of a waiting transaction', { nonce: entry.nonce, maxFeePerGasWei: fees.maxFeePerGasWei })
    return true
  }

  /** False when the price may not be raised, or prices are not to be had: the next steps try again. */
  const raiseNow = async (transaction: PendingTransaction): Promise<boolean> => {
    try {
      return raise(transaction, await account.feeQuote(transaction.entry.blobs.length > 0))
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      transaction.announce = true
      return false
    }
  }

  /** Sends what is there, at a raised price when a quote is given. Throws nothing but signer and journal errors. */
  const publish = async (transaction: PendingTransaction, quote: FeeQuote | null = null): Promise<PublishOutcome> => {
    if (quote !== null) raise(transaction, quote)
    for (let bumped = 0; ; bumped++) {
      transaction.announce = false
      try {
        await sendOnce(transaction)
        transaction.reservedSinceMs = null
        return { kind: 'sent' }
      } catch (error) {
        const outcome = await afterFailure(transaction, error, bumped)
        if (outcome !== 'again') return outcome
      }
    }
  }

  const afterFailure = async (transaction: PendingTransaction, error: unknown, bumped: number): Promise<PublishOutcome | 'again'> => {
    if (!(error instanceof ClientError) || error.code === 'client/signer') throw error
    const { entry } = transaction
    const failure = classifySendFailure(error)
    switch (failure) {
      case 'known':
        transaction.reservedSinceMs = null
        return { kind: 'sent' }
      case 'underpriced':
        return bumped < MAX_BUMPS_AT_ONCE && (await raiseNow(transaction)) ? 'again' : { kind: 'sent' }
      case 'nonce-too-low':
        return { kind: 'nonce-too-low', error: refused('client/nonce-taken', 'temporary', entry, error) }
      case 'insufficient-funds':
        return { kind: 'refused', error: refused('client/insufficient-funds', 'temporary', entry, error) }
      case 'rejected':
        return { kind: 'refused', error: refused('client/transaction-rejected', 'critical', entry, error) }
      case 'reserved':
        transaction.reservedSinceMs ??= clock.monotonicMs()
        transaction.announce = true
        return { kind: 'sent' }
      case 'later':
        transaction.announce = true
        log.debug('not taken yet', { nonce: entry.nonce, error })
        return { kind: 'sent' }
    }
  }

  const refused = (code: ClientError['code'], severity: 'temporary' | 'critical', entry: JournalEntry, cause: ClientError): ClientError => {
    const remedy = code === 'client/insufficient-funds' ? `: fund ${signer.address} on ${chain}` : ''
    return new ClientError(
      code,
      severity,
      `${chain} refused transaction ${entry.label} with nonce ${entry.nonce}: ${cause.message}${remedy}`,
      { nonce: entry.nonce },
      { cause },
    )
  }

  /**
   * A transaction that does nothing, in place of one of the same kind that is stuck in the pool and that nobody knows
   * here: of blobs by blobs, of others by another.
   */
  const cancellation = async (nonce: bigint, ofBlobs: boolean): Promise<PendingTransaction> => {
    const quote = await account.feeQuote(ofBlobs)
    const fees = bumpFees(suggestFees(quote, options.policy), quote, options.policy)
    const blobs = ofBlobs ? [new Uint8Array(BLOB_BYTES)] : []
    const entry = {
      nonce,
      label: 'cancellation',
      to: signer.address,
      data: new Uint8Array(0),
      valueWei: 0n,
      gasLimit: PLAIN_GAS,
      blobs,
      fees,
      attempts: [],
    }
    return createPendingTransaction(entry, await sidecarFor(blobs), clock.monotonicMs())
  }

  return { draft, publish, sidecarFor, cancellation }
}

/** So that what a signing service answers is not taken for what the chain says of the transaction. */
function signerFailed(error: unknown): never {
  if (!(error instanceof ClientError) || error.code === 'client/signer') throw error
  throw new ClientError('client/signer', error.severity, `the transaction could not be signed: ${error.message}`, {}, { cause: error })
}

/** State may change between the estimate and the block. */
function withMargin(gas: bigint): bigint {
  return gas + gas / 10n
}
