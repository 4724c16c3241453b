import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { findHaproxy, type HaproxyProcess, startHaproxy } from '../support/haproxy-process.ts'

const haproxy = findHaproxy()

/** A process that HAProxy sends transactions to, and that answers with its name until it hangs. */
class Remote {
  readonly held: ServerResponse[] = []
  readonly #server: Server
  hangs = false

  constructor(name: string) {
    this.#server = createServer((request: IncomingMessage, response) => {
      if (request.method === 'POST' && this.hangs) this.held.push(response)
      request.resume().on('end', () => void (this.hangs || response.end(name)))
    })
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

describe(`two routers of transactions ${haproxy === null ? 'without HAProxy, because none is installed' : `behind ${haproxy.version}`}`, () => {
  if (haproxy === null) return
  const [replica, a, b] = ['replica', 'a', 'b'].map((name) => new Remote(name)) as [Remote, Remote, Remote]
  let proxy: HaproxyProcess

  before(async () => {
    const { spare } = await claimE2ePorts()
    const [http, ...routers] = (await Promise.all([replica, a, b].map((remote) => remote.listen()))) as [string, string, string]
    const replicas = [1, 2, 3].map(() => ({ http, ws: http }))
    proxy = await startHaproxy(haproxy, { rpc: spare, metrics: spare + 1, transactions: spare + 2 }, replicas, routers)
  })
  after(async () => {
    await proxy?.stop()
    for (const remote of [replica, a, b]) remote.close()
  })

  const send = async () => {
    const response = await fetch(proxy.transactionsUrl, { method: 'POST', body: '{}' })
    return response.ok ? await response.text() : response.status
  }

  it('lose no transaction that one of them holds when it hangs: the other one gets it', async () => {
    const seen = new Set<unknown>()
    await eventually('both routers in use', async () => seen.add(await send()).size === 2)
    a.hangs = true
    const answers = await Promise.all(Array.from({ length: 6 }, send))
    assert.ok(a.held.length > 0)
    assert.deepEqual(new Set(answers), new Set(['b']))
  })
})
