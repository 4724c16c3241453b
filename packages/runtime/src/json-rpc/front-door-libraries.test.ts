import assert from 'node:assert/strict'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, http } from 'viem'
import { createSystemClock } from '../clock.ts'
import { createMetrics } from '../metrics.ts'
import { createRpcAccess } from './access/rpc-access.ts'
import { closeFrontDoors, serveFrontDoor } from './front-door.test-support.ts'

describe('the front door of the RPC, with libraries as they come', () => {
  afterEach(closeFrontDoors)

  const CALLS = 100
  const busy = async () => {
    const clock = createSystemClock()
    const metrics = createMetrics('test')
    const access = createRpcAccess({ trusted: [], proxies: [] }, { clock, anonymous: () => ({ perSec: 50, burst: 40 }) })
    const { server } = await serveFrontDoor({}, null, { clock, access, metrics })
    const refused = async () => Number(/rpc_refused_total\{.*\} (\d+)/.exec((await metrics.render()).text)?.[1] ?? 0)
    return { url: server.httpUrl, refused }
  }

  it('viem gets all its answers in the end', async () => {
    const { url, refused } = await busy()
    // on a busy machine a call may lose the race for a token more often than the three times of the default
    const client = createPublicClient({ transport: http(url, { retryCount: 10 }) })
    const answers = await Promise.all(Array.from({ length: CALLS }, () => client.request({ method: 'net_version' })))
    assert.ok(answers.every((answer) => String(answer) === '84532'))
    assert.ok((await refused()) > 0)
  })

  it('ethers gets all its answers in the end', async () => {
    const { url, refused } = await busy()
    const provider = new JsonRpcProvider(url, 84532, { staticNetwork: true, batchMaxCount: 1 })
    const answers = await Promise.all(Array.from({ length: CALLS }, () => provider.send('net_version', [])))
    provider.destroy()
    assert.ok(answers.every((answer) => String(answer) === '84532'))
    assert.ok((await refused()) > 0)
  })
})
