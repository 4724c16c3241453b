import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createReadiness, createRpcServer, createSilentLogger, createSystemClock, type RpcServer } from '@keelson/runtime'
import { createPublicClient, http } from 'viem'
import { WebSocket } from 'ws'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { findHaproxy, HAPROXY_CONFIG, type HaproxyProcess, startHaproxy } from '../support/haproxy-process.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const NAMES = ['replica-1', 'replica-2', 'replica-3']
const haproxy = findHaproxy()

interface Replica {
  readonly node: WorldNode
  readonly server: RpcServer
}

describe(`three replicas ${haproxy === null ? 'without HAProxy, because none is installed' : `behind ${haproxy.version}`}`, () => {
  let world: World
  let replicas: readonly Replica[]
  let proxy: HaproxyProcess | undefined

  before(async () => {
    world = await createWorld()
    replicas = await Promise.all(
      NAMES.map(async (name) => {
        const node = await world.addFollower(name)
        return { node, server: await serve(node) }
      }),
    )
    await world.advance(4)
  })
  after(async () => {
    await proxy?.stop()
    await Promise.all(replicas.map(({ server }) => server.stop().catch(() => undefined)))
    await world.stop()
  })

  it('answer a caller who names a block that they lack as soon as they have it', async () => {
    const [late] = replicas as [Replica]
    late.node.frozen = true
    await world.advance(2)
    const seen = world.sequencer.heads().unsafe
    assert.equal(late.node.heads().unsafe, seen - 1)
    const waiting = ask(late.server.httpUrl, { minBlock: seen })
    late.node.frozen = false
    await late.node.settle()
    const { status, block } = await waiting
    assert.deepEqual([status, block], [200, seen])
  })

  it('name a head that is no lower than what they answered', async () => {
    for (const { server } of replicas) {
      const { headers, block } = await ask(server.httpUrl, { minBlock: 0 })
      assert.equal(headers['x-keelson-block'], String(block))
    }
  })

  it('let a viem client read what it has written, with two hooks of its transport', async () => {
    let seen = 0
    const transport = http(replicas[1]?.server.httpUrl, {
      onFetchRequest: (_, init) => ({ ...init, headers: { ...init.headers, 'X-Keelson-Min-Block': String(seen) } }),
      onFetchResponse: (response) => {
        seen = Math.max(seen, Number(response.headers.get('X-Keelson-Block') ?? 0))
      },
    })
    const client = createPublicClient({ transport, cacheTime: 0 })
    assert.equal(await client.getBlockNumber(), BigInt(seen))
    assert.equal(seen, world.sequencer.heads().unsafe)
  })

  if (haproxy === null) return

  describe('with the shipped configuration', () => {
    before(async () => {
      const { spare } = await claimE2ePorts()
      const addresses = replicas.map(({ server }) => {
        const address = `127.0.0.1:${server.address.port}`
        return { http: address, ws: address }
      })
      proxy = await startHaproxy(haproxy, { rpc: spare, metrics: spare + 1, transactions: spare + 2 }, addresses)
      await eventually('three replicas up', async () => (await countUp()) === NAMES.length)
    })

    it('is valid as shipped', () => {
      const { status, stderr } = spawnSync(haproxy.command, ['-c', '-f', HAPROXY_CONFIG], { encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      assert.doesNotMatch(stderr, /WARNING/)
    })

    it('keeps a client on one replica, and spreads clients', async () => {
      const first = await askAll()
      assert.deepEqual(new Set(first.map(({ replica }) => replica)).size, NAMES.length)
      assert.deepEqual(
        (await askAll()).map(({ replica }) => replica),
        first.map(({ replica }) => replica),
      )
    })

    it('passes WebSocket connections on, to the replica that answers the client by HTTP', async () => {
      for (const first of ['http', 'ws'] as const) {
        for (let i = 1; i <= 6; i++) {
          const from = `127.0.${first === 'ws' ? 5 : 6}.${i}`
          const names = first === 'ws' ? [await askSocket(from), (await ask(url(), { from })).replica] : []
          if (first === 'http') names.push((await ask(url(), { from })).replica, await askSocket(from))
          assert.ok(NAMES.includes(names[0] as string))
          assert.equal(names[1], names[0], `${first} first, from ${from}`)
        }
      }
    })

    it('opens a WebSocket connection at no replica below the block that its client has seen', async () => {
      const from = '127.0.0.30'
      const own = await ask(url(), { from })
      const ownReplica = replicas.find(({ node }) => node.name === own.replica) as Replica
      for (const { node } of replicas) node.frozen = node !== ownReplica.node
      await world.advance(2)
      assert.equal((await ask(url(), { from })).block, world.sequencer.heads().unsafe)
      ownReplica.node.frozen = true
      await world.advance(2)
      for (const { node } of replicas) {
        node.frozen = node === ownReplica.node
        await node.settle()
      }
      const minBlock = world.sequencer.heads().unsafe
      assert.notEqual(await askSocket(from, minBlock), own.replica)
      ownReplica.node.frozen = false
      await ownReplica.node.settle()
    })

    it('sends a client that has seen a block to no replica below it, when its own replica is gone', async () => {
      const own = await ask(url(), { from: '127.0.0.9' })
      const others = replicas.filter(({ node }) => node.name !== own.replica)
      for (const { node } of others) node.frozen = true
      await world.advance(2)
      const seen = world.sequencer.heads().unsafe
      assert.equal((await ask(url(), { from: '127.0.0.9' })).block, seen)
      await replicas.find(({ node }) => node.name === own.replica)?.server.stop()

      const waiting = ask(url(), { from: '127.0.0.9' })
      assert.equal((await ask(url(), { from: '127.0.0.10' })).block, seen - 1, 'a client that has not seen it may read below')
      const [quick] = others as [Replica]
      quick.node.frozen = false
      await quick.node.settle()
      const { status, block, replica } = await waiting
      assert.deepEqual([status, block, replica], [200, seen, quick.node.name])
    })

    it('takes a replica out when its head is old, and serves old answers when all are', async () => {
      const [quick, late] = await Promise.all([live(), lagging()])
      await world.advance(70)
      await eventually('the late replica is out', async () => (await countUp()) === 1)
      const answers = await askAll()
      assert.deepEqual(new Set(answers.map(({ replica }) => replica)), new Set([quick.node.name]))
      const { status, body } = await get(late.server.httpUrl, '/readyz')
      assert.equal(status, 503)
      assert.match(JSON.parse(body).reasons['head-age'], /^head \d+ is \d\d s old; at most 60 s are expected/)

      quick.node.frozen = true
      await world.advance(70)
      await eventually('no replica is ready', async () => (await get(url(), '/readyz')).status === 503)
      const old = await ask(url(), { from: '127.0.0.20' })
      assert.deepEqual([old.status, old.headers['x-keelson-block']], [200, String(old.block)])
    })

    it('gives a client that names a block itself no older answer, also when the chain stands still', async () => {
      await eventually('the stopped replica is out', async () => (await countUp('stale')) === NAMES.length - 1)
      const seen = Math.max(...(await askAll()).map(({ block }) => block))
      const named = { from: '127.0.0.21', minBlock: seen }
      for (let i = 0; i < 4; i++) assert.equal((await ask(url(), { ...named, from: `127.0.0.${21 + i}` })).block, seen)
      assert.equal((await ask(url(), { ...named, minBlock: seen + 10 })).status, 503)
    })
  })

  const url = () => (proxy as HaproxyProcess).url
  const askSocket = (from: string, minBlock?: number) => socketReplica(url(), from, minBlock)
  const askAll = () => Promise.all(Array.from({ length: 12 }, (_, i) => ask(url(), { from: `127.0.1.${i + 1}` })))
  const running = (frozen: boolean) => async () => {
    for (const replica of replicas) {
      const alive = await get(replica.server.httpUrl, '/livez').catch(() => null)
      if (alive !== null && replica.node.frozen === frozen) return replica
    }
    throw new Error('no such replica')
  }
  const live = running(false)
  const lagging = running(true)
  const countUp = async (backend = 'replicas') => {
    const text = await (await fetch((proxy as HaproxyProcess).metricsUrl)).text()
    const up = new RegExp(`^haproxy_server_status\\{proxy="${backend}",server="[^"]+",state="UP"\\} 1$`, 'gm')
    return [...text.matchAll(up)].length
  }
})

async function serve(node: WorldNode): Promise<RpcServer> {
  const { clock } = node.execution
  const log = createSilentLogger()
  const chain = () => node.execution.node.chain
  const server = createRpcServer(
    { name: node.name, host: '127.0.0.1', port: 0, ws: true, limits: { minBlockWaitMs: 3_000 } },
    {
      methods: { ...node.execution.node.methods, web3_clientVersion: () => node.name },
      log,
      clock: createSystemClock(),
      readiness: createReadiness(node.execution.node.checks, { clock, log }),
      head: async () => chain().label('unsafe').header.number,
    },
  )
  await server.start(new AbortController().signal)
  return server
}

async function ask(url: string, { from = '127.0.0.1', minBlock }: { readonly from?: string; readonly minBlock?: number }) {
  const calls = ['eth_blockNumber', 'web3_clientVersion'].map((method, id) => ({ jsonrpc: '2.0', id, method, params: [] }))
  const sent = request(url, {
    method: 'POST',
    localAddress: from,
    headers: { 'content-type': 'application/json', ...(minBlock === undefined ? {} : { 'x-keelson-min-block': String(minBlock) }) },
  })
  sent.end(JSON.stringify(calls))
  const { status, headers, body } = await read(sent)
  const [head, name] = status === 200 ? JSON.parse(body) : [{ result: '0x0' }, { result: '' }]
  return { status, headers, block: Number(head.result), replica: String(name.result) }
}

/** Name of the replica that a WebSocket connection reaches. */
async function socketReplica(url: string, from: string, minBlock?: number): Promise<string> {
  const headers = minBlock === undefined ? {} : { 'x-keelson-min-block': String(minBlock) }
  const socket = new WebSocket(url.replace('http', 'ws'), { localAddress: from, headers })
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] }))
  const [data] = await once(socket, 'message')
  socket.terminate()
  return JSON.parse(String(data)).result
}

async function get(url: string, path: string) {
  const sent = request(url + path)
  sent.end()
  return read(sent)
}

async function read(sent: ReturnType<typeof request>) {
  const [response] = await once(sent, 'response')
  let body = ''
  for await (const chunk of response) body += String(chunk)
  return { status: Number(response.statusCode), headers: response.headers as Record<string, string>, body }
}
