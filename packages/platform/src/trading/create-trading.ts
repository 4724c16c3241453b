/** Assembles trading: services over the chains and the database, the operator's wallets, and the settlement loop. */
import { createHttpRpcClient, type RpcClient } from '@keelson/client'
import type { Clock, Logger, Random } from '@keelson/primitives'
import type { Metrics, Service } from '@keelson/runtime'
import type { UserStore } from '../auth/user-store.ts'
import type { ChainConfig } from '../market/chain/chain-config.ts'
import type { Chains } from '../market/chain/chains.ts'
import type { Database } from '../storage/database.ts'
import { createAuditLog } from './audit/audit-log.ts'
import { createChainMarket } from './chain-market.ts'
import type { TradingLimits } from './config/trading-config.ts'
import { createExecutor, type Executor } from './execution/executor.ts'
import { createRpcTradingChain } from './execution/rpc-trading-chain.ts'
import { createSettlementService, createSettler } from './execution/settlement.ts'
import type { TradingMarket } from './ports.ts'
import { createQuoter } from './quote/quoter.ts'
import { createRiskAssessor } from './risk/assess.ts'
import { createAuditStore } from './stores/audit-store.ts'
import { createExecutionStore } from './stores/executions.ts'
import { createQuoteStore, type QuoteStore } from './stores/quotes.ts'
import { recordExecution } from './stores/record-execution.ts'
import { createTradingRoutes } from './trading-routes.ts'
import type { OpenedWallet } from './wallets/open-wallets.ts'
import { createStopSwitch } from './wallets/stop-switch.ts'
import { createPolicySource, createWallets } from './wallets/wallets.ts'

/** The opened trading configuration. */
export interface TradingSetup {
  readonly wallets: readonly OpenedWallet[]
  readonly stopFile: string
  readonly limits: TradingLimits
}

export interface TradingDependencies {
  readonly db: Database
  /** Null when no chain is configured; then there are no services. */
  readonly chains: Chains | null
  readonly users: Pick<UserStore, 'findEmail'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export type Trading = ReturnType<typeof createTrading>

const QUOTES = { lifeMs: 30_000, referenceFeeBps: 30 }
const SETTLE_EVERY_MS = 1_000
/** Longer than any request may take. */
const ACCEPTED_LIFE_MS = 600_000
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024
const ATTEMPTS = { attempts: 2, baseDelayMs: 200, maxDelayMs: 1_000 }

/** Connects to nothing yet. */
export function createTrading(setup: TradingSetup | null, deps: TradingDependencies) {
  const { db, chains, clock, random } = deps
  const market = createChainMarket(chains?.all ?? [])
  const quoteStore = createQuoteStore(db)
  const quotes = createQuoter(QUOTES, { market, quotes: quoteStore, clock, random })
  const risk = createRiskAssessor(chains?.main.config.id ?? 0, { market, quotes: quoteStore, clock })
  const executing = setup === null || chains === null ? null : openExecution(setup, { ...deps, chains, market, quotes: quoteStore })
  const execution = executing?.executor ?? null
  const answerWaitMs = setup?.limits.answerWaitMs ?? 0
  return {
    ...{ quotes, risk, quoteStore },
    /** Null without wallets. */
    execution,
    wallets: createWallets(setup?.wallets ?? [], deps.users),
    /** Null without wallets. */
    service: executing?.service ?? null,
    routes: createTradingRoutes({ services: chains === null ? null : { quotes, risk, execution }, answerWaitMs, clock }),
  }
}

interface Parts extends TradingDependencies {
  readonly chains: Chains
  readonly market: TradingMarket
  readonly quotes: QuoteStore
}

function openExecution(
  { wallets: opened, stopFile, limits }: TradingSetup,
  parts: Parts,
): { readonly executor: Executor; readonly service: Service } {
  const { db, clock, random, metrics } = parts
  const log = parts.log.child('trading')
  const rpcs: RpcClient[] = []
  const ids = new Set(opened.flatMap(({ chainIds }) => chainIds))
  const tradingChains = parts.chains.all.flatMap(({ config }) => {
    if (!ids.has(config.id) || config.wrappedNative === null) return []
    const rpc = openRpc(config, parts)
    rpcs.push(rpc)
    const { id: chainId, wrappedNative, explorerUrl } = config
    return [[chainId, createRpcTradingChain({ chainId, wrappedNative, explorerUrl, confirmations: limits.confirmations }, rpc)] as const]
  })
  const shared = {
    ...{ executions: createExecutionStore(db), audit: createAuditLog(createAuditStore(db), clock), chains: new Map(tradingChains) },
    ...{ wallets: createWallets(opened, parts.users), clock, log, ...(metrics === undefined ? {} : { metrics }) },
  }
  const { market, quotes } = parts
  const policies = createPolicySource(opened, createStopSwitch(stopFile))
  const executor = createExecutor({ ...limits, waitMs: limits.walletWaitMs }, { ...shared, market, policies, quotes, random })
  const onSettled = recordExecution(db, { clock, log, market })
  const settler = createSettler({ ...limits, acceptedLifeMs: ACCEPTED_LIFE_MS }, { ...shared, executor, policies, onSettled })
  const loop = createSettlementService(settler, { clock, log, pollMs: SETTLE_EVERY_MS })
  const service: Service = {
    ...loop,
    async stop() {
      await loop.stop()
      for (const rpc of rpcs) rpc.close()
    },
  }
  return { executor, service }
}

function openRpc({ rpcUrl, timeoutMs }: ChainConfig, deps: Pick<TradingDependencies, 'clock' | 'random' | 'log'>): RpcClient {
  return createHttpRpcClient({ url: rpcUrl, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES, retry: ATTEMPTS }, deps)
}
