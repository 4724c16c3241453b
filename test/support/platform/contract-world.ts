/** One platform has normal limits; the other allows one request a minute. */
import { createPlatform, NO_SOURCES, type Platform, type PlatformOptions, type Sources } from '@keelson/platform'
import { createManualClock, createSeededRandom, createSilentLogger, type ManualClock, Secret } from '@keelson/runtime'
import { openTestDatabase } from '../../../packages/platform/src/storage/database.test-support.ts'
import { createPlatformWorld, type PlatformWorld } from '../platform-world.ts'
import type { Json } from './api-description.ts'
import { type Answer, type AskOptions, askInjected, askStreamed } from './ask.ts'
import { openContractSources } from './contract-sources.ts'
import { openContractTrading } from './contract-trading.ts'
import { createWeakDatabase, type WeakDatabase } from './weak-database.ts'

export interface Tokens {
  readonly user: string
  readonly session: string
  readonly sessionId: string
}

export interface ContractWorld {
  readonly devnet: PlatformWorld
  readonly clock: ManualClock
  readonly database: WeakDatabase
  readonly platform: Platform
  readonly mine: Tokens
  readonly theirs: Tokens
  readonly expired: Tokens
  readonly deleted: Tokens
  ask(operation: string, options?: AskOptions): Promise<Answer>
  askStrict(operation: string, options?: AskOptions): Promise<Answer>
  newUser(): Promise<Tokens>
  newSession(user: string): Promise<Tokens>
  stop(): Promise<void>
}

export const PASSWORD = 'correct horse battery'

function options(of: Partial<PlatformOptions>): PlatformOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    virtualHosts: [],
    version: '1.2.3',
    environment: 'test',
    trustedProxies: [],
    corsOrigins: [],
    limitScale: 1_000,
    redisUrl: null,
    tokenKeys: [{ kid: 'one', secret: new Secret(new Uint8Array(32).fill(1)) }],
    userLifetimeMs: 3_600_000_000,
    sessionLifetimeMs: 3_600_000_000,
    passwords: { concurrency: 2, maxWaiting: 100, memoryKiB: 64, passes: 1 },
    ...of,
  }
}

export async function describePlatform(): Promise<Json> {
  const database = createWeakDatabase({} as never)
  const clock = createManualClock(0)
  const platform = await createPlatform(options({}), { database, clock, random: createSeededRandom(1), log: createSilentLogger() })
  const answer = await platform.server.app.inject({ method: 'GET', url: '/openapi.json' })
  await platform.server.app.close()
  return answer.json()
}

export async function createContractWorld(given: { readonly limitScale?: number } = {}): Promise<ContractWorld> {
  const devnet = await createPlatformWorld()
  const { clock } = devnet.world
  const database = createWeakDatabase(await openTestDatabase())
  const sources = await openContractSources(devnet)
  const trading = await openContractTrading(devnet)
  const open = async (seed: number, of: Partial<PlatformOptions>, from: Sources = NO_SOURCES) => {
    const random = createSeededRandom(seed)
    const deps = { database, sources: from, trading: from === sources ? trading : null, clock, random, log: createSilentLogger() }
    const platform = await createPlatform(options(of), deps)
    await platform.start(new AbortController().signal)
    return platform
  }
  const platform = await open(6, given, sources)
  const strict = await open(7, { limitScale: 1e-9 })
  const brief = await open(8, { userLifetimeMs: 1_000, sessionLifetimeMs: 1_000 })
  const asker =
    (of: Platform) =>
    (operation: string, how: AskOptions = {}) =>
      how.stream === undefined ? askInjected(of.server.app, operation, how) : askStreamed(of.server.url, operation, how)
  const ask = asker(platform)
  let users = 0
  const userOf = async (from: typeof ask) => {
    const email = `user${++users}@example.org`
    const { body } = await from('POST /api/v1/auth/register', { json: { email, password: PASSWORD } })
    return body.token.access_token as string
  }
  const sessionOf = async (user: string, from: typeof ask): Promise<Tokens> => {
    const { body } = await from('POST /api/v1/auth/session', { token: user })
    return { user, session: body.token.access_token, sessionId: body.session_id }
  }
  const newSession = (user: string) => sessionOf(user, ask)
  const newUser = async () => newSession(await userOf(ask))
  const fromBrief = asker(brief)
  const expired = await sessionOf(await userOf(fromBrief), fromBrief)
  await clock.advance(2_000)
  const [mine, theirs, deleted] = [await newUser(), await newUser(), await newUser()]
  await ask('DELETE /api/v1/auth/session/{session_id}', { token: deleted.session, params: { session_id: deleted.sessionId } })
  return {
    devnet,
    clock,
    database,
    platform,
    mine,
    theirs,
    expired,
    deleted,
    ask,
    newUser,
    newSession,
    askStrict: asker(strict),
    async stop() {
      database.mood = 'well'
      for (const each of [platform, strict, brief]) {
        const stopped = each.stop()
        // The server closes open connections when their deadline on the clock passes.
        await clock.advance(60_000)
        await stopped
      }
      sources.close()
      await devnet.stop()
    },
  }
}
