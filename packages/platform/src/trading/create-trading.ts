import type { Clock, Logger, Random } from '@keelson/primitives'
import { createPoller, type Metrics, type Service } from '@keelson/runtime'
import type { UserStore } from '../auth/user-store.ts'
import { openChainRpc } from '../market/chain/chain-client.ts'
import type { Chains } from '../market/chain/chains.ts'
import type { Database } from '../storage/database.ts'
import { AuditLog } from './audit/audit-log.ts'
import { createAuditStore } from './audit/audit-store.ts'
import { createChainMarket } from './chain-market.ts'
import type { TradingLimits } from './config/trading-config.ts'
import { Executor } from './execution/executor.ts'
import { createRpcTradingChain } from './execution/rpc-trading-chain.ts'
import { Settler } from './execution/settlement.ts'
import { createQuoter } from './quote/quoter.ts'
import { createRiskAssessor } from './risk/assess.ts'
import { createExecutionStore } from './stores/executions.ts'
import { createQuoteStore } from './stores/quotes.ts'
import { recordExecution } from './stores/record-execution.ts'
import { createTradingRoutes } from './trading-routes.ts'
import type { OpenedWallet } from './wallets/open-wallets.ts'
import { readStopFile } from './wallets/stop-file.ts'
import { createPolicySource, createWallets } from './wallets/wallets.ts'

export interface TradingSetup {
  readonly wallets: readonly OpenedWallet[]
  readonly stopFile: string
  readonly limits: TradingLimits
}

export interface TradingDependencies {
  readonly db: Database
  /** True on the one server that settles trades, among those that share the database. */
  readonly isLeader: () => Promise<boolean>
  readonly chains: Chains | null
  readonly users: Pick<UserStore, 'findEmail'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

const QUOTES = { lifeMs: 30_000, referenceFeeBps: 30 }
const SETTLE_EVERY_MS = 1_000
/** Longer than any request may take. */
const ACCEPTED_LIFE_MS = 600_000

export function createTrading(setup: TradingSetup | null, deps: TradingDependencies) {
  const { db, chains, clock, random } = deps
  const market = createChainMarket(chains?.all ?? [])
  const quoteStore = createQuoteStore(db)
  const quotes = createQuoter(QUOTES, { market, quotes: quoteStore, clock, random })
  const risk = createRiskAssessor(chains?.main.config.id ?? 0, { market, quotes: quoteStore, clock })
  const wallets = createWallets(setup?.wallets ?? [], deps.users)
  const { execution, service } =
    setup === null || chains === null
      ? { execution: null, service: null }
      : openExecution(setup, { ...deps, chains, market, quotes: quoteStore, wallets })
  const services = chains === null ? null : { quotes, risk, execution }
  const routes = createTradingRoutes({ services, answerWaitMs: setup?.limits.answerWaitMs ?? 0, clock })
  return { quotes, risk, quoteStore, execution, wallets, service, routes }
}

interface ExecutionParts extends TradingDependencies {
  readonly chains: Chains
  readonly market: ReturnType<typeof createChainMarket>
  readonly quotes: ReturnType<typeof createQuoteStore>
  readonly wallets: ReturnType<typeof createWallets>
}

function openExecution({ wallets: opened, stopFile, limits }: TradingSetup, { chains: { all }, ...parts }: ExecutionParts) {
  const { db, clock, isLeader, market } = parts
  const log = parts.log.child('trading')
  const chains = all.flatMap(({ config }) => {
    const { id: chainId, wrappedNative, explorerUrl } = config
    if (wrappedNative === null || !opened.some(({ chainIds }) => chainIds.includes(chainId))) return []
    const rpc = openChainRpc(config, parts)
    return [{ rpc, chain: createRpcTradingChain({ chainId, wrappedNative, explorerUrl, confirmations: limits.confirmations }, rpc) }]
  })
  const shared = {
    ...parts,
    log,
    executions: createExecutionStore(db),
    audit: new AuditLog(createAuditStore(db), clock),
    chains: new Map(chains.map(({ chain }) => [chain.chainId, chain])),
    policies: createPolicySource(opened, () => readStopFile(stopFile)),
  }
  const execution = new Executor({ ...limits, waitMs: limits.walletWaitMs }, shared)
  const onSettled = recordExecution(db, { clock, log, market })
  const settler = new Settler({ ...limits, acceptedLifeMs: ACCEPTED_LIFE_MS }, { ...shared, executor: execution, onSettled })
  // Also settles trades of an earlier process.
  const settle = async () => {
    if (await isLeader()) await settler.step()
  }
  const poller = createPoller(settle, {
    clock,
    intervalMs: SETTLE_EVERY_MS,
    onError: (error) => log.warn('settling trades failed; retrying', { error }),
  })
  const campaign = async () => {
    await isLeader()
  }
  // A step may take longer than the server waits for a silent leader. The other poller reports the errors.
  const staying = createPoller(campaign, { clock, intervalMs: SETTLE_EVERY_MS, onError: () => undefined })
  const service: Service = {
    name: 'trade settlement',
    async start() {
      staying.start()
      poller.start()
    },
    async stop() {
      await poller.stop()
      await staying.stop()
      for (const { rpc } of chains) rpc.close()
    },
  }
  return { execution, service }
}
