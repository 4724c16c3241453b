import {
  type ChainAccount,
  createChainAccount,
  createTransactionManager,
  type RpcClient,
  type Signer,
  type TransactionManager,
} from '@keelson/client'
import type { Clock, Crypto, Hash, Logger, Random } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, Metrics, NetworkLevel, Service } from '@keelson/runtime'
import type { Captcha } from './captcha.ts'
import { type ClaimRecords, openClaimRecords } from './claims/claim-records.ts'
import { type ClaimService, createClaimService } from './claims/claim-service.ts'
import { createPaymentJournal } from './claims/payment-journal.ts'
import { createPayments } from './claims/payments.ts'
import { createQuotaLedger } from './claims/quota-ledger.ts'
import { FaucetError } from './faucet-error.ts'
import { createGroupCommit } from './group-commit.ts'
import { createFaucetServer, type FaucetServer, type FaucetServerOptions } from './http/faucet-server.ts'
import { runFaucetTask } from './operator-tasks.ts'
import { createChallenges } from './tiers/challenge.ts'
import type { AccountProvider } from './tiers/linked-accounts.ts'
import { LONGEST_WINDOW_MS, type Quota } from './tiers/tier.ts'
import { openTierRecords } from './tiers/tier-records.ts'
import { createTierService } from './tiers/tier-service.ts'
import { createTreasury } from './treasury.ts'

export interface FaucetOptions extends Omit<FaucetServerOptions, 'account' | 'localAccounts'> {
  readonly genesis: { readonly number: number; readonly hash: Hash }
  /** Public address: `https://faucet.example` */
  readonly publicUrl: string
  /** Limit per IPv4 address or IPv6 /64 in any 24 hours. */
  readonly claimsPerSubscriber: number
  /** Limit per network in any 24 hours. */
  readonly claimsPerNetwork: Readonly<Record<NetworkLevel, number>>
  /** Total limit in any 24 hours. */
  readonly claimsPerDay: number
  readonly addressesPerAccount: number
  readonly maxInFlight: number
  readonly maxWaiting: number
  readonly confirmations: number
  readonly maxFeeWei: bigint
  readonly lowBalanceWei: bigint
  readonly answerTimeoutMs: number
  readonly pollIntervalMs: number
  readonly resubmitAfterMs: number
}

export interface FaucetDependencies {
  readonly store: KeyValueStore
  readonly rpc: RpcClient
  readonly signer: Signer
  readonly captcha: Captcha
  readonly accounts: AccountProvider | null
  readonly crypto: Crypto
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Faucet extends Service {
  readonly server: FaucetServer
  readonly manager: TransactionManager
  readonly claims: ClaimService
  readonly records: ClaimRecords
  readonly checks: readonly HealthCheck[]
  /** Throws FaucetError `apps/faucet-chain`. */
  step(): Promise<void>
  /** See runFaucetTask. */
  task(task: string, params: Readonly<Record<string, unknown>>): Promise<unknown>
}

const QUOTE_LIFE_MS = 500
const PRUNE_INTERVAL_MS = 60_000
const PAUSE_MS = 1_000
const STOP_PATIENCE_MS = 500
const NO_BLOBS = {
  blobToCommitment: () => Promise.reject(new Error('the faucet sends no blobs')),
  blobProof: () => Promise.reject(new Error('the faucet sends no blobs')),
}

/** Throws FaucetError `apps/faucet-record`. */
export async function createFaucet(options: FaucetOptions, deps: FaucetDependencies): Promise<Faucet> {
  const { store, rpc, signer, captcha, accounts, crypto, clock, random, log } = deps
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
  const payments = createPayments(
    { maxInFlight: options.maxInFlight, confirmations: options.confirmations },
    { manager, account, records, onFailed: ({ id }) => ledger.discount(id), log, ...metrics },
  )
  const claims = createClaimService(
    { amountWei, maxUnsettled: options.maxInFlight + options.maxWaiting, answerTimeoutMs: options.answerTimeoutMs },
    { records, ledger, tiers, payments, treasury, captcha, clock, log, ...metrics },
  )
  const challenges = createChallenges({ publicUrl: options.publicUrl, chainId }, { crypto, random, clock })
  const tierService = createTierService(
    { publicUrl: options.publicUrl, addressesPerAccount: options.addressesPerAccount },
    { challenges, records: tiers, provider: accounts, captcha, clock, random, log },
  )
  const server = createFaucetServer(
    { ...options, account: signer.address, localAccounts: accounts?.name === 'local' },
    { claims, tierService, tiers, records, ledger, trouble: treasury.trouble, clock, log, ...metrics },
  )
  deps.metrics?.gauge('claims_last_day', 'Claims of the last 24 hours', [], () => ledger.spent(clock.nowMs()))
  deps.metrics?.gauge('claims_per_day_limit', 'Claims that any 24 hours may have').set(options.claimsPerDay)

  let prunedMs = Number.NEGATIVE_INFINITY
  async function step(): Promise<void> {
    await treasury.step()
    await payments.recover()
    await payments.step()
    if (clock.monotonicMs() - prunedMs < PRUNE_INTERVAL_MS) return
    prunedMs = clock.monotonicMs()
    ledger.prune(clock.nowMs())
    await records.prune(clock.nowMs())
  }

  let loop: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)

  return {
    name: 'faucet',
    server,
    manager,
    claims,
    records,
    checks: treasury.checks,
    failure,
    step,
    task: (task, params) =>
      runFaucetTask(task, params, {
        records,
        tiers,
        nowMs: clock.nowMs(),
        live: {
          account: signer.address,
          balanceWei: treasury.balanceWei === null ? null : String(treasury.balanceWei),
          waiting: payments.waiting,
          inFlight: manager.pendingCount,
          spent: ledger.spent(clock.nowMs()),
          budget: options.claimsPerDay,
          trouble: treasury.trouble()?.reason ?? null,
        },
      }),
    async start(signal) {
      await server.start(signal)
      let sending = false
      const run = async () => {
        while (!signal.aborted) {
          try {
            await step()
            // The journal's nonces mean nothing on another chain.
            if (!sending) await manager.start(signal)
            sending = true
          } catch (error) {
            if (error instanceof FaucetError) return fail(error)
            if (!signal.aborted) log.warn('faucet node unavailable, retrying', { error })
          }
          await clock.sleep(PAUSE_MS, signal).catch(() => undefined)
        }
      }
      loop = run()
    },
    async stop() {
      await server.stop()
      await manager.stop()
      // The node may be gone; everything is on disk.
      const patience = new AbortController()
      await Promise.race([loop, clock.sleep(STOP_PATIENCE_MS, patience.signal).catch(() => undefined)])
      patience.abort()
      captcha.close()
      accounts?.close()
    },
  }
}

function quotaOfDay(claims: number): Quota {
  return { claims, windowMs: LONGEST_WINDOW_MS }
}

/** Shares fee quotes between simultaneous payments. */
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
