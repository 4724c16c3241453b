import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { z } from 'zod'
import { createPlatformServer } from './platform-server.ts'
import { createMemoryRateLimits } from './rate-limit-store.ts'
import { RATE_LIMITS } from './rate-limits.ts'
import { defineRoute } from './route.ts'

describe('wrong tokens of one address', () => {
  for (const [limitScale, allowed] of [
    [0.01, 3],
    [0.1, 30],
    [2, 600],
  ] as const)
    it(`are refused with 429 after ${allowed} where limits are multiplied by ${limitScale}`, async () => {
      const clock = createManualClock()
      const closed = defineRoute({
        method: 'GET',
        path: '/closed',
        tag: 'test',
        summary: 'test',
        auth: 'session',
        limit: RATE_LIMITS.read,
        answer: z.any(),
        handle: () => ({ in: true }),
      })
      const { app } = await createPlatformServer(
        { host: '127.0.0.1', port: 0, virtualHosts: [], version: '1', trustedProxies: [], corsOrigins: [], limitScale },
        {
          routes: [closed],
          authenticator: {
            verify: async (token) => (token === 'right' ? { tier: 'session', userId: 1, sessionId: 's' } : null),
            isThere: async () => true,
          },
          limits: createMemoryRateLimits(clock),
          isOutage: () => false,
          clock,
          log: createSilentLogger(),
        },
      )
      await app.ready()
      const ask = async (token: string) =>
        (await app.inject({ method: 'GET', url: '/closed', headers: { authorization: `Bearer ${token}` } })).statusCode
      for (let i = 0; i < allowed; i++) assert.equal(await ask('wrong'), 401)
      assert.equal(await ask('wrong'), 429)
      assert.equal(await ask('right'), 200)
      await app.close()
    })
})
