/** The faucet without its HTTP server: claims, payments and their records. */
import {
  type ChainAccount,
  createChainAccount,
  createTransactionManager,
  type RpcClient,
  type Signer,
  type TransactionManager,
} from '@keelson/client'
import type { Clock, Crypto, Hash, Logger } from '@keelson/primitives'
import { createPoller, type HealthCheck, type Metrics, type NetworkLevel, type Poller, type Service, withDeadline } from '@keelson/runtime'
import type { Captcha } from './captcha.ts'
import { type ClaimRecords, openClaimRecords } from './claims/claim-records.ts'
import { ClaimService } from './claims/claim-service.ts'
import { createPaymentJournal } from './claims/payment-journal.ts'
import { Payments } from './claims/payments.ts'
import { createQuotaLedger, type QuotaLedger } from './claims/quota-ledger.ts'
import { FaucetError } from './faucet-error.ts'
import { createGroupCommit } from './group-commit.ts'
import { runFaucetTask } from './operator-tasks.ts'
import type { FaucetStore } from './storage/faucet-store.ts'
import { LONGEST_WINDOW_MS, type Quota } from './tiers/tier.ts'
import { openTierRecords, type TierRecords } from './tiers/tier-records.ts'
import { createTreasury, type WatchedTreasury } from './treasury.ts'

export interface FaucetBackendOptions {
  readonly chainId: bigint
  readonly amountWei: bigint
  readonly genesis: { readonly number: number; readonly hash: Hash }
  readonly claimsPerSubscriber: number
  readonly claimsPerNetwork: Readonly<Record<NetworkLevel, number>>
  readonly claimsPerDay: number
  readonly maxInFlight: number
  readonly maxWaiting: number
  readonly confirmations: number
  readonly maxFeeWei: bigint
  readonly lowBalanceWei: bigint
  readonly answerTimeoutMs: number
  readonly pollIntervalMs: number
  readonly resubmitAfterMs: number
}

export interface FaucetBackendDependencies {
  readonly store: FaucetStore
  readonly rpc: RpcClient
  readonly signer: Signer
  readonly captcha: Captcha
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface FaucetBackend extends Service {
  readonly failure: Promise<never>
  readonly manager: TransactionManager
  readonly claims: ClaimService
  readonly records: ClaimRecords
  readonly tiers: TierRecords
  readonly ledger: QuotaLedger
  readonly treasury: WatchedTreasury
  readonly checks: readonly HealthCheck[]
  step(): Promise<void>
  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown>
}

const QUOTE_LIFE_MS = 500
const PRUNE_INTERVAL_MS = 60_000
const POLL_INTERVAL_MS = 1_000
const STOP_TIMEOUT_MS = 500
const NO_BLOBS = {
  blobToCommitment: () => Promise.reject(new Error('the faucet sends no blobs')),
  blobProof: () => Promise.reject(new Error('the faucet sends no blobs')),
}

/** Throws FaucetError `apps/faucet-record`. */
export async function createFaucetBackend(options: FaucetBackendOptions, deps: FaucetBackendDependencies): Promise<FaucetBackend> {
  const { store, rpc, signer, captcha, crypto, clock, log } = deps
  const { amountWei, chainId } = options
  const metrics = deps.metrics === undefined ? {} : { metrics: deps.metrics }
  const write = createGroupCommit(store)
  const records = await openClaimRecords(store, write)
  const tiers = await openTierRecords(store, write)
  const ledger = createQuotaLedger({
    perSubscriber: quotaOfDay(options.claimsPerSubscriber),
    perNetwork: {
      site: quotaOfDay(options.claimsPerNetwork.site),
      network: quotaOfDay(options.claimsPerNetwork.network),
      provider: quotaOfDay(options.claimsPerNetwork.provider),
    },
    budget: quotaOfDay(options.claimsPerDay),
  })
  for (const claim of records.all()) if (claim.state !== 'failed') ledger.count(claim, clock.nowMs())

  const account = withSharedQuotes(createChainAccount('L2', rpc, signer.address), clock)
  const manager = createTransactionManager(
    {
      chainId,
      confirmations: options.confirmations,
      pollIntervalMs: options.pollIntervalMs,
      resubmitAfterMs: options.resubmitAfterMs,
      maxCostWei: amountWei + options.maxFeeWei,
      maxCostOption: '--max-fee',
      maxPending: options.maxInFlight,
    },
    {
      account,
      signer,
      journal: createPaymentJournal(store, write, chainId, signer.address, records),
      kzg: NO_BLOBS,
      crypto,
      clock,
      log,
      ...metrics,
    },
  )
  const treasury = createTreasury(
    { chainId, genesis: options.genesis, amountWei, lowBalanceWei: options.lowBalanceWei },
    { rpc, account, clock, log, ...metrics },
  )
  const payments = new Payments(
    { maxInFlight: options.maxInFlight, confirmations: options.confirmations },
    { manager, account, records, onFailed: ({ id }) => ledger.discount(id), log, ...metrics },
  )
  const claims = new ClaimService(
    { amountWei, maxUnsettled: options.maxInFlight + options.maxWaiting, answerTimeoutMs: options.answerTimeoutMs },
    { records, ledger, tiers, payments, treasury, captcha, clock, log, ...metrics },
  )
  deps.metrics?.gauge('claims_last_day', 'Claims of the last 24 hours', [], () => ledger.spent(clock.nowMs()))
  deps.metrics?.gauge('claims_per_day_limit', 'Claims that any 24 hours may have').set(options.claimsPerDay)

  return new Backend({ manager, claims, records, tiers, ledger, treasury, payments, options, deps })
}

interface Parts {
  readonly manager: TransactionManager
  readonly claims: ClaimService
  readonly records: ClaimRecords
  readonly tiers: TierRecords
  readonly ledger: QuotaLedger
  readonly treasury: WatchedTreasury
  readonly payments: Payments
  readonly options: Pick<FaucetBackendOptions, 'claimsPerDay'>
  readonly deps: Pick<FaucetBackendDependencies, 'captcha' | 'clock' | 'log'>
}

class Backend implements FaucetBackend {
  readonly name = 'faucet backend'
  readonly failure: Promise<never>
  readonly #parts: Parts
  readonly #poller: Poller
  #managerStarted = false
  #prunedMs = Number.NEGATIVE_INFINITY

  constructor(parts: Parts) {
    const { clock, log } = parts.deps
    this.#parts = parts
    this.#poller = createPoller((signal) => this.#poll(signal), {
      clock,
      intervalMs: POLL_INTERVAL_MS,
      onError(error) {
        if (error instanceof FaucetError) throw error
        log.warn('faucet node unavailable, retrying', { error })
      },
    })
    this.failure = this.#poller.failure
  }

  get manager(): TransactionManager {
    return this.#parts.manager
  }

  get claims(): ClaimService {
    return this.#parts.claims
  }

  get records(): ClaimRecords {
    return this.#parts.records
  }

  get tiers(): TierRecords {
    return this.#parts.tiers
  }

  get ledger(): QuotaLedger {
    return this.#parts.ledger
  }

  get treasury(): WatchedTreasury {
    return this.#parts.treasury
  }

  get checks(): readonly HealthCheck[] {
    return this.#parts.treasury.checks
  }

  async step(): Promise<void> {
    const { treasury, payments, ledger, records, deps } = this.#parts
    await treasury.step()
    await payments.recover()
    await payments.step()
    if (deps.clock.monotonicMs() - this.#prunedMs < PRUNE_INTERVAL_MS) return
    this.#prunedMs = deps.clock.monotonicMs()
    ledger.prune(deps.clock.nowMs())
    await records.prune(deps.clock.nowMs())
  }

  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { records, tiers, treasury, payments, manager, ledger, options, deps } = this.#parts
    const nowMs = deps.clock.nowMs()
    const live = {
      account: manager.address,
      balanceWei: treasury.balanceWei === null ? null : String(treasury.balanceWei),
      waiting: payments.waiting,
      inFlight: manager.pendingCount,
      spent: ledger.spent(nowMs),
      budget: options.claimsPerDay,
      trouble: treasury.trouble()?.reason ?? null,
    }
    return runFaucetTask(task, params, { records, tiers, nowMs, live })
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  async stop(): Promise<void> {
    const { manager, deps } = this.#parts
    const stopped = this.#poller.stop()
    await manager.stop()
    // The node may be unreachable; everything is on disk.
    await withDeadline(stopped, { clock: deps.clock, ms: STOP_TIMEOUT_MS, onTimeout: () => undefined })
    deps.captcha.close()
  }

  async #poll(signal: AbortSignal): Promise<void> {
    await this.step()
    // Starts after the chain check: the journal's nonces are only valid on its chain.
    if (!this.#managerStarted) await this.#parts.manager.start(signal)
    this.#managerStarted = true
  }
}

function quotaOfDay(claims: number): Quota {
  return { claims, windowMs: LONGEST_WINDOW_MS }
}

function withSharedQuotes(account: ChainAccount, clock: Clock): ChainAccount {
  let quote: ReturnType<ChainAccount['feeQuote']> | null = null
  let askedMs = 0
  return {
    ...account,
    feeQuote(withBlobs) {
      if (quote === null || clock.monotonicMs() - askedMs >= QUOTE_LIFE_MS) {
        askedMs = clock.monotonicMs()
        const asked = account.feeQuote(withBlobs)
        quote = asked
        asked.catch(() => {
          if (quote === asked) quote = null
        })
      }
      return quote
    },
  }
}
