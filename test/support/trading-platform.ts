import { createLocalSigner } from '@keelson/client'
import { LIQUIDITY_CONTRACTS } from '@keelson/contracts'
import { createPlatform, NATIVE_ADDRESS, openWallets, type Platform, parseTradingConfig, type TradingConfigInput } from '@keelson/platform'
import { createPureCrypto, hexToBytes } from '@keelson/primitives'
import { createSeededRandom, createSilentLogger, Secret } from '@keelson/runtime'
import { DEV_ACCOUNTS, type DevAccount } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { NO_SOURCES } from '../../packages/platform/src/market/sources.ts'
import { openTestDatabase } from '../../packages/platform/src/storage/database.test-support.ts'
import { createPlatformWorld, PLATFORM_CHAIN_ID, type PlatformWorld } from './platform-world.ts'

const { TestDollar, UniswapV2Router02 } = LIQUIDITY_CONTRACTS
type Wallet = TradingConfigInput['wallets'][number]

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: the body as a client sees it
  readonly body: any
}

export interface TradingPlatform {
  ask(method: 'GET' | 'POST', path: string, options?: AskOptions): Promise<Reply>
  stop(): Promise<void>
}

export interface AskOptions {
  readonly token?: string
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface TradingPlatforms {
  readonly devnet: PlatformWorld
  /** Elects one of the opened platforms by its number. Null lets each lead, as if each were cut off from the others. */
  elect(index: number | null): void
  open(config: Partial<TradingConfigInput> | null, chainUrl?: string): Promise<TradingPlatform>
  stop(): Promise<void>
}

export function devWallet(account: number, changes: Partial<Wallet> = {}, policy: Partial<Wallet['policy']> = {}): Wallet {
  const on = (address: string) => ({ chainId: PLATFORM_CHAIN_ID, address })
  return {
    ref: 'main',
    users: '*',
    chainIds: [PLATFORM_CHAIN_ID],
    keystore: { path: String(account), passwordFile: '-' },
    policy: {
      enabled: true,
      chainIds: [PLATFORM_CHAIN_ID],
      maxTradeUsd: 5_000,
      maxDailyUsd: 100_000,
      maxSlippageBps: 100,
      maxLossBps: 300,
      tokens: [NATIVE_ADDRESS, TestDollar].map(on),
      contracts: [on(UniswapV2Router02)],
      ...policy,
    },
    ...changes,
  }
}

export async function createTradingPlatforms(): Promise<TradingPlatforms> {
  const devnet = await createPlatformWorld()
  const db = await openTestDatabase()
  const crypto = createPureCrypto()
  const opened: TradingPlatform[] = []
  let leader: number | null = null
  const { clock } = devnet.world
  const keystore = async (path: string) => {
    const { privateKey } = DEV_ACCOUNTS[Number(path.split('/').at(-1))] as DevAccount
    return createLocalSigner(new Secret(hexToBytes(privateKey)), crypto)
  }
  return {
    devnet,
    elect(index) {
      leader = index
    },
    async open(config, rpcUrl = devnet.config.rpcUrl) {
      const index = opened.length
      const chain = { ...devnet.config, rpcUrl }
      const chains = devnet.open([chain])
      const random = createSeededRandom(opened.length + 1)
      const log = createSilentLogger()
      const parsed = config === null ? null : parseTradingConfig(JSON.stringify(config), 'trading.json', [chain])
      const remote = () => {
        throw new Error('no signing service here')
      }
      const trading = parsed === null ? null : { ...parsed, wallets: await openWallets(parsed, { keystore, remote }) }
      const platform: Platform = await createPlatform(
        {
          host: '127.0.0.1',
          port: 0,
          virtualHosts: [],
          version: '1.2.3',
          environment: 'test',
          trustedProxies: [],
          corsOrigins: [],
          limitScale: 10,
          redisUrl: null,
          userLifetimeMs: 86_400_000,
          sessionLifetimeMs: 86_400_000,
          tokenKeys: [{ kid: 'one', secret: new Secret(new Uint8Array(32).fill(1)) }],
          passwords: { concurrency: 2, maxWaiting: 100, memoryKiB: 64, passes: 1 },
        },
        {
          database: {
            db,
            engine: 'pglite',
            isLeader: async () => [null, index].includes(leader),
            trouble: async () => null,
            close: async () => undefined,
          },
          sources: { ...NO_SOURCES, chains },
          trading,
          clock,
          random,
          log,
        },
      )
      await platform.start(new AbortController().signal)
      const one: TradingPlatform = {
        async ask(method, path, { token, json, headers = {} } = {}) {
          const response = await platform.server.app.inject({
            method,
            url: path,
            headers: {
              ...(json === undefined ? {} : { 'content-type': 'application/json' }),
              ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
              ...headers,
            },
            ...(json === undefined ? {} : { payload: JSON.stringify(json) }),
          })
          return { status: response.statusCode, headers: response.headers, body: response.body === '' ? null : response.json() }
        },
        async stop() {
          await platform.stop()
          chains.close()
        },
      }
      opened.push(one)
      return one
    },
    async stop() {
      for (const platform of opened) await platform.stop()
      await devnet.stop()
    },
  }
}
