import { createLocalSigner } from '@keelson/client'
import { type Bytes32, createPureCrypto } from '@keelson/primitives'
import { createManualClock, createSeededRandom, createSilentLogger, type ManualClock, Secret } from '@keelson/runtime'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import type { EvmInput } from '../../schemas/evm-input.ts'
import type { ExecutionRequest } from '../../schemas/execution.ts'
import { AuditLog } from '../audit/audit-log.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import { BITCOIN, CHAIN, createFakeMarket, DOLLAR, type FakeMarket, ROUTER, swapInput } from '../market.test-support.ts'
import { createMemoryStores, type MemoryStores } from '../memory-stores.test-support.ts'
import type { WalletPolicy } from '../policy/policy.ts'
import type { TradingMarket, TradingWallet } from '../ports.ts'
import { createQuoter, type Quoter } from '../quote/quoter.ts'
import type { ExecutionStore } from '../stores/executions.ts'
import type { QuoteStore } from '../stores/quotes.ts'
import { type Caller, type ExecutionOptions, Executor } from './executor.ts'
import { createFakeTradingChain, type FakeTradingChain } from './fake-trading-chain.test-support.ts'
import type { ExecutionRecord } from './record.ts'
import { Settler } from './settlement.ts'

export const START_MS = Date.UTC(2026, 5, 1)
const crypto = createPureCrypto()
const walletOf = (seed: number): TradingWallet => {
  const key: Secret<Bytes32> = new Secret(new Uint8Array(32).fill(seed))
  const signer = createLocalSigner(key, crypto)
  return { address: signer.address, signer }
}
export const WALLETS = [walletOf(1), walletOf(2)] as const
export const WALLET = WALLETS[0]
export const UNITS = { dollar: 10n ** 6n, native: 10n ** 18n, bitcoin: 10n ** 8n } as const

export const OPTIONS: ExecutionOptions = { deadlineSec: 60, maxGasCostWei: 10n ** 15n, maxDailyGasWei: 10n ** 16n, waitMs: 20_000 }
export const SETTLEMENT = { resubmitAfterMs: 10_000, maxGasCostWei: 10n ** 15n, acceptedLifeMs: 600_000 }

export type Effects = <T>(work: () => Promise<T>) => Promise<T>

export interface TradingStores {
  readonly executions: ExecutionStore
  readonly quotes: QuoteStore
  readonly audit: AuditStore
}

export interface TradingWorld<Stores extends TradingStores = MemoryStores> {
  readonly market: FakeMarket
  readonly chain: FakeTradingChain
  readonly clock: ManualClock
  readonly executions: Stores['executions']
  readonly quoteStore: Stores['quotes']
  readonly auditStore: Stores['audit']
  readonly policies: Map<string, WalletPolicy>
  readonly settled: ExecutionRecord[]
  stopped: string | null
  readonly executor: Executor
  readonly quotes: Quoter
  readonly settler: Settler
  restart(effects?: Effects, through?: TradingStores): void
  settle(): Promise<void>
}

export function createTradingWorld(options: Partial<ExecutionOptions> = {}): TradingWorld {
  return createTradingWorldOver(createMemoryStores(), options)
}

export function createTradingWorldOver<Stores extends TradingStores>(
  stores: Stores,
  options: Partial<ExecutionOptions> = {},
  tell?: (record: ExecutionRecord) => Promise<void>,
): TradingWorld<Stores> {
  const market = createFakeMarket()
  const clock = createManualClock(START_MS)
  const chain = createFakeTradingChain(market, START_MS / 1000)
  const on = (address: typeof DOLLAR) => ({ chainId: CHAIN, address })
  const policy: WalletPolicy = {
    enabled: true,
    chainIds: [CHAIN],
    tokens: [on(DOLLAR), on(NATIVE_ADDRESS)],
    contracts: [on(ROUTER)],
    maxTradeUsd: new Decimal(1_000),
    maxDailyUsd: new Decimal(3_000),
    maxSlippageBps: 100,
    maxLossBps: 300,
  }
  for (const { address } of WALLETS) {
    chain.setBalance(NATIVE_ADDRESS, address, 100n * UNITS.native)
    chain.setBalance(DOLLAR, address, 100_000n * UNITS.dollar)
    chain.setBalance(BITCOIN, address, 5n * UNITS.bitcoin)
  }
  let lives = 0
  const build = (effects: Effects, through: TradingStores) => {
    const mortal = <T extends object>(inner: T): T =>
      new Proxy(inner, {
        get(target, name) {
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? (...args: unknown[]) => effects(async () => value.apply(target, args)) : value
        },
      })
    const kept = { executions: mortal<ExecutionStore>(through.executions), quotes: mortal<QuoteStore>(through.quotes) }
    const audit = new AuditLog(mortal<AuditStore>(through.audit), clock)
    const chains = new Map([[CHAIN, mortal<typeof chain>(chain)]])
    const exchange = mortal<TradingMarket>(market)
    const mortalMarket = new Proxy<TradingMarket>(market, {
      get: (target, name) => Reflect.get(name === 'bestRoute' || name === 'spotPrice' ? exchange : target, name),
    })
    const wallets = {
      wallet: async (userId: number, ref: string, chainId: number) =>
        ref === 'main' && chainId === CHAIN ? (WALLETS[userId - 1] ?? null) : null,
    }
    const random = createSeededRandom(++lives)
    const log = createSilentLogger()
    const policies = { policy: async (wallet: string) => world.policies.get(wallet) ?? null, stopped: async () => world.stopped }
    const executor = new Executor(
      { ...OPTIONS, ...options },
      { market: mortalMarket, ...kept, policies, wallets, chains, audit, clock, random, log },
    )
    const quotes = createQuoter({ lifeMs: 30_000, referenceFeeBps: 30 }, { market: mortalMarket, quotes: kept.quotes, clock, random })
    const onSettled = async (record: ExecutionRecord) => {
      world.settled.push(record)
      if (tell !== undefined) await effects(() => tell(record))
    }
    const settler = new Settler(SETTLEMENT, {
      executions: kept.executions,
      executor,
      wallets,
      policies,
      chains,
      audit,
      clock,
      log,
      onSettled,
    })
    return { executor, quotes, settler }
  }
  const world = {
    market,
    chain,
    clock,
    executions: stores.executions,
    quoteStore: stores.quotes,
    auditStore: stores.audit,
    settled: [] as ExecutionRecord[],
    stopped: null as string | null,
    policies: new Map<string, WalletPolicy>(WALLETS.map(({ address }) => [address, policy])),
    restart(effects: Effects = (work) => work(), through: TradingStores = stores) {
      Object.assign(world, build(effects, through))
    },
    async settle() {
      for (let i = 0; i < 4; i++) {
        chain.mine()
        await clock.advance(2_000)
        await world.settler.step()
      }
    },
  } as TradingWorld<Stores>
  world.restart()
  return world
}

export function order(changes: Partial<ExecutionRequest> = {}, input: Partial<EvmInput> = {}): ExecutionRequest {
  return { input: swapInput({ simulate_only: false, ...input }), confirm: true, skip_risk: false, wallet_ref: 'main', ...changes }
}

export function callerWith(key: string | null, userId = 1): Caller {
  return { userId, sessionId: `s${userId}`, idempotencyKey: key }
}
