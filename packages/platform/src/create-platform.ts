/** The platform put together: database, tokens, and the routes of every module behind one server. */
import type { Clock, Logger, Random } from '@keelson/primitives'
import type { IpNetwork, Metrics, Service } from '@keelson/runtime'
import { createAuthRoutes } from './auth/auth-routes.ts'
import { createAuthenticator } from './auth/authenticator.ts'
import { createLoginThrottle } from './auth/login-throttle.ts'
import { createPasswords, type PasswordOptions } from './auth/passwords.ts'
import type { TokenKeys } from './auth/token-keys.ts'
import { createTokens } from './auth/tokens.ts'
import { createUserStore } from './auth/user-store.ts'
import { createHealthRoutes } from './health/health-routes.ts'
import { createPlatformServer, type PlatformServer } from './http/platform-server.ts'
import { createMemoryRateLimits } from './http/rate-limit-store.ts'
import { createRedisRateLimits } from './http/redis-rate-limits.ts'
import type { AnyRoute } from './http/route.ts'
import { createPortfolioRoutes } from './portfolio/portfolio-routes.ts'
import { isDatabaseAway, type OpenedDatabase } from './storage/database.ts'

export interface PlatformOptions {
  readonly host: string
  readonly port: number
  /** Option that moves the port, for the error when it is taken. */
  readonly option?: string
  readonly version: string
  readonly environment: string
  readonly trustedProxies: readonly IpNetwork[]
  readonly corsOrigins: readonly string[]
  readonly limitScale: number
  /** Shared counting of requests; null for this process alone. */
  readonly redisUrl: string | null
  readonly tokenKeys: TokenKeys
  readonly userLifetimeMs: number
  readonly sessionLifetimeMs: number
  readonly passwords: PasswordOptions
}

export interface PlatformDependencies {
  readonly database: OpenedDatabase
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface Platform extends Service {
  readonly server: PlatformServer
}

export async function createPlatform(options: PlatformOptions, deps: PlatformDependencies): Promise<Platform> {
  const { database, clock, random, log } = deps
  const memory = createMemoryRateLimits(clock)
  const redis = options.redisUrl === null ? null : createRedisRateLimits(options.redisUrl, memory, log)
  const limits = redis ?? memory
  const users = createUserStore(database.db)
  const tokens = createTokens({ ...options, keys: options.tokenKeys }, clock, random)
  const passwords = await createPasswords(options.passwords, random)
  const trouble = async () => ((await database.trouble()) === null ? null : 'the database does not answer')

  const routes: readonly AnyRoute[] = [
    ...createHealthRoutes(options, { trouble, clock }),
    ...createAuthRoutes({ users, passwords, tokens, throttle: createLoginThrottle(limits), clock, random }),
    ...createPortfolioRoutes({ db: database.db, clock, prices: null, tvl: null }),
  ]
  const server = await createPlatformServer(options, {
    routes,
    authenticator: createAuthenticator(tokens, users),
    limits,
    isOutage: isDatabaseAway,
    clock,
    log,
    ...(deps.metrics === undefined ? {} : { metrics: deps.metrics }),
  })
  return {
    name: 'agent platform',
    server,
    start: (signal) => server.start(signal),
    async stop() {
      await server.stop()
      await redis?.close()
    },
  }
}
