import { createManualClock, createSeededRandom, createSilentLogger, type ManualClock, Secret } from '@keelson/runtime'
import { createPlatform, type Platform, type PlatformOptions } from '../create-platform.ts'
import { NO_SOURCES, type Sources } from '../market/sources.ts'
import { openTestDatabase } from '../storage/database.test-support.ts'
import type { Database } from '../storage/database.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  readonly body: any
}

export interface AuthWorld {
  readonly clock: ManualClock
  readonly db: Database
  readonly platform: Platform
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, options?: AskOptions): Promise<Answer>
  register(email: string, password?: string): Promise<string>
  close(): Promise<void>
}

export interface AskOptions {
  readonly token?: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly ip?: string
}

export const PASSWORD = 'correct horse battery'
export const START_MS = Date.parse('2026-01-01T00:00:00Z')

export async function createAuthWorld(
  options: Partial<PlatformOptions> = {},
  sharedDb?: Database,
  sources: Sources = NO_SOURCES,
  seed = 6,
): Promise<AuthWorld> {
  const clock = createManualClock(START_MS)
  const db = sharedDb ?? (await openTestDatabase())
  const platform = await createPlatform(
    {
      host: '127.0.0.1',
      port: 0,
      virtualHosts: [],
      version: '1.2.3',
      environment: 'test',
      trustedProxies: [],
      corsOrigins: [],
      limitScale: 1,
      redisUrl: null,
      tokenKeys: [{ kid: 'one', secret: new Secret(new Uint8Array(32).fill(1)) }],
      userLifetimeMs: 3_600_000,
      sessionLifetimeMs: 7_200_000,
      passwords: { concurrency: 2, maxWaiting: 100, memoryKiB: 64, passes: 1 },
      ...options,
    },
    {
      database: { db, engine: 'pglite', isLeader: async () => true, trouble: async () => null, close: async () => undefined },
      sources,
      clock,
      random: createSeededRandom(seed),
      log: createSilentLogger(),
    },
  )
  await platform.server.app.ready()
  const ask: AuthWorld['ask'] = async (method, path, { token, json, form, ip = '192.0.2.1' } = {}) => {
    const payload = json !== undefined ? JSON.stringify(json) : form === undefined ? undefined : new URLSearchParams(form).toString()
    const type = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    const response = await platform.server.app.inject({
      method,
      url: path,
      remoteAddress: ip,
      headers: {
        ...(payload === undefined ? {} : { 'content-type': type }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: response.statusCode, headers: response.headers, body: response.body === '' ? null : response.json() }
  }
  return {
    clock,
    db,
    platform,
    ask,
    async register(email, password = PASSWORD) {
      const { body } = await ask('POST', '/api/v1/auth/register', { json: { email, password } })
      return body.token.access_token
    },
    close: async () => void (await platform.server.app.close()),
  }
}
