/** Every HTTP port beside those of the runtime (`runtime/src/http/server/http-server.test.ts`) and of the index, for any HTTP client. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpServer, createManualClock, createMetrics, createSilentLogger } from '@keelson/runtime'
import { z } from 'zod'
import { createBridgeHttp } from '../../packages/apps/src/bridge/http/http-server.ts'
import { BEACON_METHODS, createBeaconListener, renderBeaconFault } from '../../packages/devnet/src/beacon/beacon-api.ts'
import { createKzg } from '../../packages/node/src/crypto/kzg.ts'
import { createPlatformServer, type PlatformServer } from '../../packages/platform/src/http/platform-server.ts'
import { createMemoryRateLimits } from '../../packages/platform/src/http/rate-limit-store.ts'
import { defineRoute } from '../../packages/platform/src/http/route.ts'
import type { Web } from '../../packages/web/src/server/create-web.ts'
import { WebWorld } from '../../packages/web/src/server/web-world.test-support.ts'
import { describeCorsPort, PAGE_ORIGIN } from '../support/cors-cases.ts'
import { createFaucetWorld, type FaucetWorld } from '../support/faucet-world.ts'
import { describeHttpPort } from '../support/http-cases.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const CHAIN_ID_CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const portOf = (url: string) => Number(new URL(url).port)
const shared = () => ({ clock: createManualClock(1_700_000_000_000), log: createSilentLogger(), metrics: createMetrics('test') })

describe('HTTP ports', () => {
  let beacon: Server
  let bridge: ReturnType<typeof createBridgeHttp>
  let bridgeUrl: string
  let faucet: FaucetWorld
  let platform: PlatformServer
  let webWorld: WebWorld
  let web: Web
  const stopping = new AbortController()

  before(async () => {
    const backend = { version: 'test', chainId: 1n, genesisTimeSec: 0, kzg: createKzg(), blobsOf: async () => null }
    const options = { allowed: () => BEACON_METHODS, virtualHosts: [], renderFault: renderBeaconFault, node: {} }
    beacon = createHttpServer(options, createBeaconListener(backend)).listen(0, '127.0.0.1')
    await once(beacon, 'listening')
    const limits = { rate: { perSec: 1_000, burst: 1_000 }, trusted: [], proxies: [], corsOrigins: [PAGE_ORIGIN] }
    const status = { status: async () => ({ kind: 'unknown' }) as const, trouble: () => null, lagBlocks: 0 }
    bridge = createBridgeHttp(
      { host: '127.0.0.1', port: 0, virtualHosts: [], ...limits },
      { bridge: status, withdrawals: null, ...shared() },
    )
    bridgeUrl = await bridge.app.listen({ host: '127.0.0.1', port: 0 })
    faucet = await createFaucetWorld({ corsOrigins: [PAGE_ORIGIN], requestsPerSec: 1_000, requestBurst: 1_000 })
    await faucet.step()
    await faucet.faucet.server.start(stopping.signal)
    const route = defineRoute({
      method: 'POST',
      path: '/sum',
      tag: 'test',
      summary: 'test',
      auth: 'none',
      limit: { requests: 10_000, windowMs: 60_000 },
      body: z.object({ a: z.int() }),
      answer: z.any(),
      handle: ({ body }) => body,
    })
    const { clock, log } = shared()
    platform = await createPlatformServer(
      { host: '127.0.0.1', port: 0, virtualHosts: [], version: '1', trustedProxies: [], corsOrigins: [PAGE_ORIGIN], limitScale: 1 },
      {
        routes: [route],
        authenticator: { verify: async () => null, isThere: async () => true },
        limits: createMemoryRateLimits(clock),
        isOutage: () => false,
        clock,
        log,
      },
    )
    await platform.start(stopping.signal)
    webWorld = await WebWorld.open()
    web = await webWorld.start()
  })
  after(async () => {
    stopping.abort()
    beacon.closeAllConnections()
    beacon.close()
    await Promise.all([bridge.app.close(), faucet.faucet.server.stop(), platform.stop(), webWorld.close()])
  })

  describeHttpPort('beacon', 'reads', () => ({ port: (beacon.address() as AddressInfo).port, method: 'GET', path: '/eth/v1/node/version' }))
  describeHttpPort('bridge', 'reads', () => ({ port: portOf(bridgeUrl), method: 'GET', path: '/health' }))
  describeHttpPort('faucet', 'reads', () => ({ port: portOf(faucet.faucet.server.url), method: 'GET', path: '/api/tiers' }))
  describeHttpPort('platform', 'takes bodies', () => ({
    port: portOf(platform.url),
    method: 'POST',
    path: '/sum',
    headers: JSON_TYPE,
    body: '{"a":1}',
  }))
  describeHttpPort('pages', 'reads', () => ({ port: portOf(web.url), method: 'GET', path: '/' }))
  describeHttpPort('RPC of the pages', 'takes bodies', () => ({
    port: portOf(web.url),
    method: 'POST',
    path: '/rpc/l2',
    headers: JSON_TYPE,
    body: CHAIN_ID_CALL,
  }))

  describeCorsPort('bridge', () => `${bridgeUrl}/health`)
  describeCorsPort('faucet', () => `${faucet.faucet.server.url}/api/claim`)
  describeCorsPort('platform', () => `${platform.url}/sum`)

  it('refuse in the form of the port', async () => {
    for (const [url, name] of [
      [`http://127.0.0.1:${(beacon.address() as AddressInfo).port}/`, 'code'],
      [bridgeUrl, 'expected'],
      [faucet.faucet.server.url, 'nextClaimTime'],
      [platform.url, 'detail'],
      [web.url, 'expected'],
    ] as const) {
      const response = await fetch(url, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: 'a' })
      assert.equal(response.status, 415)
      assert.ok(name in ((await response.json()) as object), url)
    }
  })
})
