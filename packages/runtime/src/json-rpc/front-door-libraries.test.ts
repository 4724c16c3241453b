import assert from 'node:assert/strict'
import type { Clock } from '@keelson/primitives'
import { FetchRequest, JsonRpcProvider } from 'ethers'
import { createPublicClient, http } from 'viem'
import { createSystemClock } from '../clock.ts'
import { createMetrics } from '../metrics.ts'
import type { TokenBucketOptions } from '../token-bucket.ts'
import { createRpcAccess, type RpcAccess } from './access/rpc-access.ts'
import { closeFrontDoors, serveFrontDoor } from './front-door.test-support.ts'

/** The budget refills only after a refusal, so that the calls exceed it even on a slow machine. */
function refillingAfterRefusal(rate: TokenBucketOptions): { readonly clock: Clock; readonly access: RpcAccess } {
  const system = createSystemClock()
  const startedMs = system.nowMs()
  let refused = false
  const clock = { ...system, nowMs: () => (refused ? system.nowMs() : startedMs) }
  const access = createRpcAccess({ trusted: [], proxies: [] }, { clock, anonymous: () => rate })
  const identify: RpcAccess['identify'] = (origin) => {
    const entry = access.identify(origin)
    if (!entry.ok) return entry
    const take = (calls: number) => {
      const waitMs = entry.caller.take(calls)
      refused ||= waitMs > 0
      return waitMs
    }
    return { ok: true, caller: { ...entry.caller, take } }
  }
  return { clock, access: { ...access, identify } }
}

describe('the front door of the RPC, with unmodified libraries', () => {
  afterEach(closeFrontDoors)

  const CALLS = 100
  const busy = async () => {
    const metrics = createMetrics('test')
    const { clock, access } = refillingAfterRefusal({ perSec: 50, burst: 40 })
    const { server } = await serveFrontDoor({}, null, { clock, access, metrics })
    const refused = async () => Number(/rpc_refused_total\{.*\} (\d+)/.exec((await metrics.render()).text)?.[1] ?? 0)
    return { url: server.httpUrl, refused }
  }

  it('viem gets all its responses', async () => {
    const { url, refused } = await busy()
    // A call may lose the race for a token more than three times, the default.
    const client = createPublicClient({ transport: http(url, { retryCount: 10 }) })
    const answers = await Promise.all(Array.from({ length: CALLS }, () => client.request({ method: 'net_version' })))
    assert.ok(answers.every((answer) => String(answer) === '84532'))
    assert.ok((await refused()) > 0)
  })

  it('ethers gets all its responses with a retry function that waits for Retry-After', async () => {
    const { url, refused } = await busy()
    const request = new FetchRequest(url)
    request.setThrottleParams({ maxAttempts: 50 })
    request.retryFunc = async (_, response) => {
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers['retry-after']) * 1000))
      return true
    }
    const provider = new JsonRpcProvider(request, 84532, { staticNetwork: true, batchMaxCount: 1 })
    const answers = await Promise.all(Array.from({ length: CALLS }, () => provider.send('net_version', [])))
    provider.destroy()
    assert.ok(answers.every((answer) => String(answer) === '84532'))
    assert.ok((await refused()) > 0)
  })

  it('ethers by itself reads Retry-After as milliseconds and fails after twelve attempts', async () => {
    const metrics = createMetrics('test')
    const { server } = await serveFrontDoor({}, { anonymous: { perSec: 0.1, burst: 1 } }, { metrics })
    const provider = new JsonRpcProvider(server.httpUrl, 84532, { staticNetwork: true, batchMaxCount: 1 })
    await provider.send('net_version', [])
    await assert.rejects(provider.send('net_version', []), { code: 'SERVER_ERROR' })
    provider.destroy()
    assert.match((await metrics.render()).text, /rpc_refused_total\{.*\} 12/)
  })
})
