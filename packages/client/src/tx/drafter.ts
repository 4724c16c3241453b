import type { Clock, Crypto } from '@keelson/primitives'
import { BLOB_BYTES } from '../beacon/verify-blobs.ts'
import { ClientError } from '../client-error.ts'
import { type BlobProver, type BlobSidecar, buildBlobSidecar, type SidecarForm } from './blob-sidecar.ts'
import type { ChainAccount } from './chain-account.ts'
import { type CostLimits, costRefusal } from './cost-limits.ts'
import { bumpFees, type FeePolicy, type FeeQuote, maxCostWei, priceRefusal, raiseRefusal, suggestFees } from './fees.ts'
import type { JournalEntry } from './journal.ts'
import { createPendingTransaction, type PendingTransaction } from './pending-transaction.ts'
import type { TransactionCandidate } from './transaction-candidate.ts'

export interface DrafterOptions extends CostLimits {
  readonly policy: FeePolicy
  /** Default: one proof per blob. */
  readonly sidecarForm?: () => SidecarForm
  readonly unsupportedFork?: () => string | null
}

export interface DrafterDependencies {
  readonly account: ChainAccount
  readonly kzg: BlobProver
  readonly crypto: Pick<Crypto, 'sha256'>
  readonly clock: Clock
}

export interface Draft {
  readonly entry: Omit<JournalEntry, 'nonce'>
  readonly sidecar: BlobSidecar | null
}

const PLAIN_GAS = 21_000n

export class Drafter {
  readonly #options: DrafterOptions
  readonly #deps: DrafterDependencies

  constructor(options: DrafterOptions, deps: DrafterDependencies) {
    this.#options = options
    this.#deps = deps
  }

  /** Throws ClientError `client/unsupported-fork`, `client/spending-limit` or a gas estimate's error. */
  async draft(candidate: TransactionCandidate, quote: FeeQuote): Promise<Draft> {
    const { account } = this.#deps
    const { policy, unsupportedFork } = this.#options
    const fork = unsupportedFork?.() ?? null
    if (fork !== null) throw new ClientError('client/unsupported-fork', 'temporary', `a transaction was not sent: ${fork}`)
    const tooDear = priceRefusal(account.chain, quote, policy)
    if (tooDear !== null) throw spendingLimit(tooDear)
    const fees = suggestFees(quote, policy)
    const { to, data } = candidate
    const blobs = candidate.blobs ?? []
    const valueWei = candidate.valueWei ?? 0n
    const sidecar = await this.sidecarFor(blobs)
    const blobVersionedHashes = sidecar?.versionedHashes ?? []
    const { maxFeePerBlobGasWei } = fees
    const gasLimit =
      candidate.gasLimit ??
      withMargin(await account.estimateGas({ to, data, valueWei, blobVersionedHashes, maxFeePerBlobGasWei })) + (candidate.spareGas ?? 0n)
    const costWei = maxCostWei(fees, gasLimit, blobs.length, valueWei)
    const tooMuch = costRefusal(account.chain, this.#options, { costWei, valueWei, gasLimit, nonce: null })
    if (tooMuch !== null) throw spendingLimit(tooMuch)
    return { entry: { label: candidate.label ?? '', to, data, valueWei, gasLimit, blobs, fees, attempts: [] }, sidecar }
  }

  async sidecarFor(blobs: readonly Uint8Array[]): Promise<BlobSidecar | null> {
    if (blobs.length === 0) return null
    return buildBlobSidecar(blobs, this.#options.sidecarForm?.() ?? 'blob-proofs', this.#deps.kzg, this.#deps.crypto)
  }

  /**
   * Replaces an unknown pool transaction by a transfer to the account itself; pools replace blobs only by blobs. Returns the reason
   * when a limit forbids it: only the node says that there is such a transaction, and it also names the prices.
   */
  async cancellation(nonce: bigint, withBlobs: boolean): Promise<PendingTransaction | string> {
    const { account, clock } = this.#deps
    const { policy } = this.#options
    const quote = await account.feeQuote(withBlobs)
    const fees = bumpFees(suggestFees(quote, policy), quote, policy)
    const blobs = withBlobs ? [new Uint8Array(BLOB_BYTES)] : []
    const costWei = maxCostWei(fees, PLAIN_GAS, blobs.length, 0n)
    const refusal =
      raiseRefusal(account.chain, fees, quote, policy) ??
      costRefusal(account.chain, this.#options, { costWei, valueWei: 0n, gasLimit: PLAIN_GAS, nonce })
    if (refusal !== null) return refusal
    const call = { to: account.address, data: new Uint8Array(0), valueWei: 0n, gasLimit: PLAIN_GAS }
    const entry = { nonce, label: 'cancellation', ...call, blobs, fees, attempts: [] }
    return createPendingTransaction(entry, await this.sidecarFor(blobs), clock.monotonicMs())
  }
}

function spendingLimit(reason: string): ClientError {
  return new ClientError('client/spending-limit', 'temporary', `a transaction was not sent: ${reason}; wait, or raise the limit`, {})
}

function withMargin(gas: bigint): bigint {
  return gas + gas / 10n
}
