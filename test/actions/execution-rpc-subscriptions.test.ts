import assert from 'node:assert/strict'
import { once } from 'node:events'
import { bytesToHex } from '@keelson/primitives'
import { nextTurn, RawJson, type RpcCaller } from '@keelson/runtime'
import { JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createPublicClient, MethodNotFoundRpcError, webSocket } from 'viem'
import { WebSocket } from 'ws'
import {
  account,
  LOGGER,
  logTransaction,
  NO_LABELS,
  openRpcWorld,
  serveMethods,
  TOPIC,
  viemClients,
} from '../support/execution-rpc-world.ts'
import type { ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const STRANGER: RpcCaller = {
  tier: 'anonymous',
  client: '203.0.113.1',
  known: false,
  burst: 150,
  take: () => 0,
  reserve: async () => 0,
  charge: () => undefined,
}

function connect(world: ExecutionWorld, caller: RpcCaller | null = null) {
  const results = new Map<unknown, unknown[]>()
  const closers: (() => void)[] = []
  let alive = true
  const farewells: string[] = []
  const context = {
    ...(caller === null ? {} : { caller }),
    disconnect: (reason: string) => void farewells.push(reason),
    signal: new AbortController().signal,
    transport: 'ws' as const,
    connection: results,
    notify(method: string, params: unknown) {
      assert.equal(method, 'eth_subscription')
      assert.ok(params instanceof RawJson)
      const { subscription, result } = JSON.parse(params.text) as { subscription: string; result: unknown }
      results.set(subscription, [...(results.get(subscription) ?? []), result])
      return alive
    },
    onClose: (close: () => void) => void closers.push(close),
  }
  return {
    async subscribe(...params: unknown[]) {
      const id = await world.node.methods.eth_subscribe?.(params, context)
      await nextTurn()
      return id
    },
    farewells,
    unsubscribe: (id: unknown) => world.node.methods.eth_unsubscribe?.([id], context),
    // biome-ignore lint/suspicious/noExplicitAny: a JSON answer of any shape, picked apart by the test
    got: (id: unknown) => (results.get(id) ?? []) as any[],
    close() {
      for (const close of closers) close()
    },
    stall() {
      alive = false
    },
  }
}

describe('execution RPC: subscriptions', () => {
  it('sends every new head in order over reorgs of several blocks, and removed logs first', async () => {
    const world = await openRpcWorld()
    const client = connect(world)
    const heads = await client.subscribe('newHeads')
    const logs = await client.subscribe('logs', { address: LOGGER })
    const a1 = await world.mine({ transactions: [logTransaction(world, 0, 0n).raw] })
    const a2 = await world.mine({ transactions: [logTransaction(world, 0, 1n).raw] })
    const transactions = [logTransaction(world, 0, 0n).raw]
    const b1 = await world.mine({ parent: world.genesis.hash, prevRandao: TOPIC, noTxPool: true, setHead: false, transactions })
    const b2 = await world.mine({ parent: b1.hash, noTxPool: true, setHead: false })
    const b3 = await world.mine({ parent: b2.hash, noTxPool: true, setHead: false })
    await world.engine.forkchoiceUpdated({ head: b3.hash, ...NO_LABELS }, null)
    assert.deepEqual(
      client.got(heads).map(({ hash }) => hash),
      [a1, a2, b1, b2, b3].map(({ hash }) => hash),
    )
    const header = client.got(heads)[0]
    for (const key of ['number', 'parentHash', 'stateRoot', 'logsBloom', 'baseFeePerGas', 'withdrawalsRoot', 'timestamp']) {
      assert.ok(key in header, key)
    }
    const moves = client.got(logs).map((log) => [log.blockHash, log.removed])
    assert.deepEqual(moves, [
      [a1.hash, false],
      [a2.hash, false],
      [a1.hash, true],
      [a2.hash, true],
      [b1.hash, false],
    ])
    assert.equal(await client.unsubscribe(logs), true)
    assert.equal((await rejection((async () => client.unsubscribe(logs))())).message, 'subscription not found')
    client.close()
    await world.mine()
    assert.equal(client.got(heads).length, 5, 'nothing is sent after the connection closed')
  })

  it('sends pending transactions as hashes or whole, and reports when it falls behind', async () => {
    const world = await openRpcWorld()
    const client = connect(world)
    const hashes = await client.subscribe('newPendingTransactions')
    const whole = await client.subscribe('newPendingTransactions', true)
    const syncing = await client.subscribe('syncing')
    const tx = world.transfer(0, account(world, 1).address, 5n)
    await world.call('eth_sendRawTransaction', bytesToHex(tx.raw))
    assert.deepEqual(client.got(hashes), [tx.hash])
    assert.deepEqual([client.got(whole)[0].hash, client.got(whole)[0].blockHash, client.got(whole)[0].value], [tx.hash, null, '0x5'])
    await world.mine()
    assert.deepEqual(client.got(syncing), [], 'it was in step and is')
    await world.clock.advance(600_000)
    await world.mine()
    assert.equal(client.got(syncing)[0].syncing, true)
    assert.equal(client.got(syncing)[0].status.currentBlock, '0x2')
    await world.mine({ timestampSec: Math.ceil(world.clock.nowMs() / 1000) })
    assert.equal(client.got(syncing)[1], false)
  })

  it('ends the subscription of a slow client, and limits the number per connection', async () => {
    const world = await openRpcWorld()
    const slow = connect(world)
    const heads = await slow.subscribe('newHeads')
    await world.mine()
    slow.stall()
    await world.mine()
    await world.mine()
    assert.equal(slow.got(heads).length, 2)
    const other = connect(world)
    for (let i = 0; i < 128; i++) await other.subscribe('newHeads')
    assert.match((await rejection(other.subscribe('newHeads'))).message, /^too many subscriptions: at most 128/)
    for (const bad of [[], ['newHead'], [7], ['logs', 7], ['logs', { topics: 'x' }]]) {
      const { number } = await rejection(connect(world).subscribe(...bad))
      assert.ok(number === -32601 || number === -32602, JSON.stringify(bad))
    }
  })

  it('limits the subscriptions and filter terms of a client over all its connections', async () => {
    const world = await openRpcWorld()
    const filter = { address: Array.from({ length: 1_000 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`) }
    const first = connect(world, STRANGER)
    for (let i = 0; i < 10; i++) await first.subscribe('logs', filter)
    assert.match(
      (await rejection(connect(world, STRANGER).subscribe('logs', filter))).message,
      /^too many addresses and topics: at most 10000/,
    )
    for (let i = 10; i < 256; i++) await connect(world, STRANGER).subscribe('newHeads')
    assert.match(
      (await rejection(connect(world, STRANGER).subscribe('newHeads'))).message,
      /^too many subscriptions: at most 256 of one client/,
    )
    await connect(world, { ...STRANGER, client: '203.0.113.2' }).subscribe('logs', filter)
    first.close()
    await connect(world, STRANGER).subscribe('logs', filter)
  })

  it('disconnects a client whose log subscriptions exceed its rate, and sends every log to the others', async () => {
    const world = await openRpcWorld()
    const greedy = connect(world, { ...STRANGER, burst: 1 })
    const modest = connect(world, { ...STRANGER, client: '203.0.113.2' })
    const wanted = await modest.subscribe('logs', { address: LOGGER })
    const all = await Promise.all(Array.from({ length: 100 }, () => greedy.subscribe('logs', { address: LOGGER })))
    const transactions = Array.from({ length: 10 }, (_, i) => logTransaction(world, 0, BigInt(i)).raw)
    await world.mine({ transactions })
    for (let i = 0; i < 20; i++) await nextTurn()
    assert.equal(modest.got(wanted).length, 10)
    const sent = all.reduce<number>((sum, id) => sum + greedy.got(id).length, 0)
    assert.ok(sent < 600, `${sent} of 1,000 logs were sent before the bill was due`)
    assert.match(greedy.farewells[0] ?? '', /cost more than the rate/)
    assert.ok(Buffer.byteLength(greedy.farewells[0] ?? '') <= 123, 'fits into a close frame')
  })

  it('keeps its state between the messages of a connection: eth_unsubscribe works, and the limit adds up', async () => {
    const world = await openRpcWorld()
    const server = await serveMethods(world.node.methods)
    const socket = new WebSocket(server.wsUrl)
    const answers: { readonly result?: unknown; readonly error?: { readonly message: string } }[] = []
    const ask = async (method: string, params: unknown[]) => {
      const answered = once(socket, 'message')
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: answers.length, method, params }))
      const [data] = await answered
      const answer = JSON.parse(String(data))
      answers.push(answer)
      return answer
    }
    try {
      await once(socket, 'open')
      const { result: first } = await ask('eth_subscribe', ['newHeads'])
      assert.equal((await ask('eth_unsubscribe', [first])).result, true)
      assert.equal((await ask('eth_unsubscribe', [first])).error.message, 'subscription not found')
      for (let i = 0; i < 128; i++) assert.match((await ask('eth_subscribe', ['newHeads'])).result, /^0x/)
      assert.match((await ask('eth_subscribe', ['newHeads'])).error.message, /^too many subscriptions: at most 128/)
    } finally {
      socket.terminate()
      await server.stop()
    }
  })

  it('serves viem and ethers over a socket, and rejects subscriptions over HTTP', async () => {
    const world = await openRpcWorld()
    const server = await serveMethods(world.node.methods)
    const transport = webSocket(server.wsUrl, { reconnect: false, keepAlive: false })
    const reader = createPublicClient({ transport })
    const ethers = new WebSocketProvider(server.wsUrl, Number(world.chainId), { staticNetwork: true })
    const numbers: bigint[] = []
    const topics: string[] = []
    let stopBlocks: () => void = () => undefined
    const twoNumbers = new Promise<void>((resolve, reject) => {
      const onBlockNumber = (number: bigint) => {
        numbers.push(number)
        if (number === 2n) resolve()
      }
      stopBlocks = reader.watchBlockNumber({ onBlockNumber, onError: reject })
    })
    const twoLogs = new Promise<void>((resolve) => {
      ethers.on({ address: LOGGER }, (log) => {
        topics.push(log.topics[0])
        if (topics.length === 2) resolve()
      })
    })
    // When a call over the same socket returns, the subscriptions are active.
    await reader.getBlockNumber()
    await ethers.getBlockNumber()
    await world.mine({ transactions: [logTransaction(world, 0, 0n).raw] })
    await world.mine({ transactions: [logTransaction(world, 0, 1n).raw] })
    await Promise.all([twoLogs, twoNumbers])
    stopBlocks()
    assert.deepEqual(numbers, [1n, 2n])
    assert.deepEqual(topics, [TOPIC, TOPIC])
    const overHttp = viemClients(world, server.httpUrl).reader
    const refused = await overHttp.request({ method: 'eth_subscribe', params: ['newHeads'] } as never).catch((error: unknown) => error)
    assert.ok(refused instanceof MethodNotFoundRpcError)
    assert.equal(refused.details, 'notifications not supported')
    const plain = new JsonRpcProvider(server.httpUrl, Number(world.chainId), { staticNetwork: true })
    await assert.rejects(plain.send('eth_subscribe', ['newHeads']), /notifications not supported/)
    plain.destroy()
    await ethers.destroy()
    await (await reader.transport.getRpcClient()).close()
    await server.stop()
  })
})
