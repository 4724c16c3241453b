import type { Clock, Logger, Random } from '@keelson/primitives'
import type { IpNetwork, Metrics, Service } from '@keelson/runtime'
import { createAssistant } from './assistant/assistant.ts'
import { createAuthRoutes } from './auth/auth-routes.ts'
import { createAuthenticator } from './auth/authenticator.ts'
import { createLoginThrottle } from './auth/login-throttle.ts'
import { createPasswords, type PasswordOptions } from './auth/passwords.ts'
import type { TokenKeys } from './auth/token-keys.ts'
import { createTokens } from './auth/tokens.ts'
import { createUserStore } from './auth/user-store.ts'
import { createChat } from './chat/create-chat.ts'
import type { ModelConfig } from './chat/providers/model-config.ts'
import { createHealthRoutes } from './health/health-routes.ts'
import { bearerToken } from './http/guards.ts'
import { createPlatformServer, type PlatformServer } from './http/platform-server.ts'
import { createMemoryRateLimits } from './http/rate-limit-store.ts'
import { createRedisRateLimits } from './http/redis-rate-limits.ts'
import type { AnyRoute } from './http/route.ts'
import { latestBitcoinBlock } from './market/bitcoin/latest-block.ts'
import { createChainDefidata } from './market/defidata/chain-defidata.ts'
import { createDefidata } from './market/defidata/defidata.ts'
import { createExchangeRoutes } from './market/exchange/exchange-routes.ts'
import { MarketSubscriptions } from './market/exchange/subscriptions.ts'
import { createMarketRoutes } from './market/market-routes.ts'
import { NO_SOURCES, type Sources } from './market/sources.ts'
import { createMcp } from './mcp/create-mcp.ts'
import { createPortfolioMetrics } from './portfolio/metrics.ts'
import { createPortfolioRoutes } from './portfolio/portfolio-routes.ts'
import { createPositionStore } from './portfolio/position-store.ts'
import { pairPricesOf } from './preview/preview-amount.ts'
import { createPreviewRoutes } from './preview/preview-routes.ts'
import { createResearch } from './research/research.ts'
import { createResearchRoutes } from './research/research-routes.ts'
import type { BitcoinBlock } from './schemas/bitcoin.ts'
import { isDatabaseAway, type OpenedDatabase } from './storage/database.ts'
import { createStorageQuota, DEFAULT_MAX_STORED_BYTES } from './storage/storage-quota.ts'
import { createSweepingService } from './sweeping-service.ts'
import { createTools } from './tools/create-tools.ts'
import { createTokenNames } from './tools/token-names.ts'
import { createToolbox } from './tools/toolbox.ts'
import { createTrading, type TradingSetup } from './trading/create-trading.ts'
import { createSetupRoutes } from './trading/setup-routes.ts'

export interface PlatformOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly version: string
  readonly environment: string
  readonly virtualHosts: readonly string[]
  readonly trustedProxies: readonly IpNetwork[]
  readonly corsOrigins: readonly string[]
  readonly limitScale: number
  /** If null, rate limits count only this process's requests. */
  readonly redisUrl: string | null
  readonly tokenKeys: TokenKeys
  readonly userLifetimeMs: number
  readonly sessionLifetimeMs: number
  readonly passwords: PasswordOptions
  readonly chatModel?: ModelConfig | null
  readonly maxStoredBytes?: number
}

export interface StandIns {
  readonly routes: readonly AnyRoute[]
  latestBitcoinBlock(): Promise<BitcoinBlock>
}

export interface PlatformDependencies {
  readonly database: OpenedDatabase
  readonly sources?: Sources
  readonly standIns?: StandIns | null
  readonly trading?: TradingSetup | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
  /** For a database that shares a disk with other roles. */
  readonly freeDiskBytes?: () => Promise<number>
}

export interface Platform extends Service {
  readonly server: PlatformServer
}

export async function createPlatform(options: PlatformOptions, deps: PlatformDependencies): Promise<Platform> {
  const { database, clock, random, log, sources = NO_SOURCES, standIns } = deps
  const memory = createMemoryRateLimits(clock)
  const redis = options.redisUrl === null ? null : createRedisRateLimits(options.redisUrl, memory, { clock, log })
  const limits = redis ?? memory
  const storage = createStorageQuota(
    { maxBytes: options.maxStoredBytes ?? DEFAULT_MAX_STORED_BYTES, limitScale: options.limitScale },
    { db: database.db, limits, clock, log, freeDiskBytes: deps.freeDiskBytes ?? null },
  )
  const users = createUserStore(database.db)
  const tokens = createTokens({ ...options, keys: options.tokenKeys }, clock, random)
  const passwords = await createPasswords(options.passwords, random)
  const authenticator = createAuthenticator(tokens, users)
  const { chains, esplora, pyth, llama, marketFeed, readDepositStatus, refreshSearch } = sources
  const marketSubscriptions =
    marketFeed === null ? null : new MarketSubscriptions({}, { feed: marketFeed, clock, random, log: log.child('market') })
  const marketData = marketSubscriptions === null ? null : createSweepingService('market data', marketSubscriptions, clock)
  const isTokenGood = async (authorization: string | undefined) => {
    const token = bearerToken(authorization)
    return token !== null && (await authenticator.authenticate(token)) !== null
  }
  const defidata = createDefidata([...(chains === null ? [] : [createChainDefidata(chains)]), ...(llama === null ? [] : [llama])])
  const research = createResearch({ ...sources.research, defidata, clock })
  const trading = createTrading(deps.trading ?? null, { ...deps, db: database.db, isLeader: () => database.isLeader(), chains, users })
  const readBitcoinBlock =
    esplora === null ? (standIns?.latestBitcoinBlock ?? null) : (signal?: AbortSignal) => latestBitcoinBlock(esplora, signal)
  const names = createTokenNames(chains, clock)
  const records = { positions: createPositionStore(database.db), metrics: createPortfolioMetrics(database.db) }
  const outside = { chains, pyth, readBitcoinBlock, defidata }
  const tools = createTools({ ...outside, ...records, names, trading, readDepositStatus, research })
  const toolbox = createToolbox(tools)
  const agent = createAssistant({ toolbox, names, clock })
  const chat = await createChat({ ...deps, agent, toolbox, model: options.chatModel ?? null, redisUrl: options.redisUrl, isTokenGood })
  const mcp = createMcp(options, { ...deps, toolbox, limits, storage, isTokenGood, isOutage: isDatabaseAway })
  const trouble = async () => ((await database.trouble()) === null ? null : 'the database does not answer')

  const routes: readonly AnyRoute[] = [
    ...createHealthRoutes(options, { trouble, clock }),
    ...createAuthRoutes({
      users,
      passwords,
      tokens,
      throttle: createLoginThrottle(limits),
      clock,
      random,
      onSessionDeleted(sessionId) {
        marketSubscriptions?.drop(sessionId)
        chat.drop(sessionId)
        mcp.drop(sessionId)
      },
    }),
    ...createMarketRoutes({ ...outside, tools, refreshSearch }),
    ...chat.routes,
    ...createResearchRoutes(research),
    ...(standIns?.routes ?? []),
    ...trading.routes,
    ...createSetupRoutes({ chains, wallets: trading.wallets }),
    ...createPreviewRoutes({ names, prices: pairPricesOf(toolbox), quotes: chains && trading.quotes, risk: chains && trading.risk }),
    ...mcp.routes,
    ...createExchangeRoutes({ subscriptions: marketSubscriptions, isTokenGood, clock }),
    ...createPortfolioRoutes({ db: database.db, clock, chains, defidata }),
  ]
  const server = await createPlatformServer(options, {
    routes,
    authenticator,
    limits,
    storage,
    isOutage: isDatabaseAway,
    clock,
    log,
    ...(deps.metrics === undefined ? {} : { metrics: deps.metrics }),
  })
  return {
    name: 'agent platform',
    server,
    async start(signal) {
      await marketData?.start(signal)
      await trading.service?.start(signal)
      await chat.start(signal)
      await mcp.service.start(signal)
      await server.start(signal)
    },
    async stop() {
      // first, so that readers receive the end of their answers
      await chat.stop()
      await server.stop()
      await mcp.service.stop()
      await trading.service?.stop()
      await marketData?.stop()
      await redis?.close()
    },
  }
}
