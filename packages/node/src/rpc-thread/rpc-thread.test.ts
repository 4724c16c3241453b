import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rollupConfigToJson } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { bytesToHex, encodeHeader, hexToBytes, keccak256Hash, toAddress } from '@keelson/primitives'
import {
  createAnswerer,
  createMetrics,
  createReadiness,
  createSystemClock,
  DEFAULT_RPC_LIMITS,
  openLevelStore,
  parseRequest,
  RawJson,
  type RpcServerOptions,
} from '@keelson/runtime'
import { WebSocket } from 'ws'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../../test/support/rollup-config.ts'
import { countBatches } from '../rpc-workers/counted-store.ts'
import type { PortData, RpcThreadData } from './protocol.ts'
import { openRpcThread, type PublicRpc, type RpcThread } from './rpc-thread.ts'

const COUNTER = toAddress('0x00000000000000000000000000000000000ec003')
const BURST = 1_000
const call = (method: string, params: readonly unknown[] = [], id = 1) => ({ jsonrpc: '2.0', id, method, params })

describe('the thread of the public RPC', () => {
  let folder: string
  let world: ExecutionWorld
  let data: RpcThreadData
  let thread: RpcThread
  let service: PublicRpc
  let ports: readonly PortData[]
  let closeStore: () => Promise<void>
  const metrics = createMetrics('test')
  const log = createRecordingLogger()
  const clock = createSystemClock()
  const { signal } = new AbortController()
  const readiness = createReadiness([{ name: 'always', check: () => ({ ok: true }) }], { clock, log })

  const open = (overrides: Partial<RpcThreadData> = {}) => openRpcThread({ ...data, ...overrides }, { log, metrics, compiler: null })
  const serve = (on: RpcThread, served: readonly PortData[] = ports) => {
    const answerer = createAnswerer({ methods: world.node.methods, limits: DEFAULT_RPC_LIMITS, log, metrics })
    return on.serve({ ports: served, answerers: { http: answerer, ws: answerer }, maxNotificationBytes: 1_000_000, readiness })
  }
  const ask = async (body: unknown, from = service): Promise<unknown> => {
    const response = await fetch(from.urls[0] as string, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const openSocket = async () => {
    const socket = new WebSocket((service.urls[1] as string).replace('http', 'ws'))
    const messages: { readonly result?: string; readonly params?: { readonly result: { readonly number: string } } }[] = []
    const waiting: (() => void)[] = []
    socket.on('message', (text) => {
      messages.push(JSON.parse(String(text)))
      for (const look of waiting) look()
    })
    await once(socket, 'open')
    const received = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => messages.length >= count && resolve()
        waiting.push(look)
        look()
      })
    return { socket, messages, received }
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-rpc-thread-'))
    const level = await openLevelStore({ directory: join(folder, 'chain'), multithreading: true })
    closeStore = () => level.close()
    const { store, revisions } = countBatches(level)
    // Increments slot 0 and returns its old value.
    const code = hexToBytes('0x5f54806001015f555f5260205ff3')
    world = await createExecutionWorld({ store, alloc: [{ address: COUNTER, nonce: 1n, balanceWei: 5n, code, storage: [] }] })
    const { hash, number, timestampSec } = world.genesis
    const config = makeRollupConfig({
      l1ChainId: 900n,
      l2ChainId: world.chainId,
      l1Genesis: { hash: keccak256Hash(new Uint8Array(0)), number: 0 },
      l2Genesis: { hash, number, timestampSec },
      batcher: COUNTER,
      forks: JOVIAN_FROM_GENESIS,
    })
    await writeFile(join(folder, 'rollup.json'), JSON.stringify(rollupConfigToJson(config)))
    data = {
      workers: {
        storeDirectory: join(folder, 'chain'),
        network: folder,
        allowSameChainId: false,
        forkTimes: {},
        genesisHeader: encodeHeader(world.node.chain.genesis.header),
        rpc: DEFAULT_EXECUTION_OPTIONS.rpc,
        maxAnswerBytes: 100_000,
        slowCrypto: true,
        evm: 'wasm-interpreter',
      },
      threads: 1,
      revisions: revisions.shared,
      version: DEFAULT_EXECUTION_OPTIONS.version,
      clockOffsetMs: world.clock.nowMs() - Date.now(),
      access: { rpcRate: 0.001, rpcBurst: BURST, rpcKeysFile: null, rpcTrusted: [], rpcProxies: [] },
    }
    const methods = Object.keys(world.node.methods)
    const server: RpcServerOptions = { name: 'test RPC', host: '127.0.0.1', port: 0 }
    ports = [
      { port: 'http', server, methods },
      { port: 'ws', server: { ...server, ws: true }, methods },
    ]
    thread = await open()
    service = serve(thread)
    await service.start(signal)
  })
  after(async () => {
    await service.stop()
    await thread.close()
    await world.stop()
    await closeStore()
    await rm(folder, { recursive: true, force: true })
  })

  it('answers as the node does, errors included, from a head that is never older', async () => {
    const sender = world.accounts[0]?.address
    for (let i = 0; i < 3; i++) {
      const { hash, transactions } = await world.mine({ transactions: [world.transfer(0, COUNTER, 1n).raw] })
      const calls = [
        call('eth_blockNumber'),
        call('eth_chainId'),
        call('eth_getBalance', [COUNTER, 'latest']),
        call('eth_getBalance', [COUNTER, '0x0']),
        call('eth_getBalance', [COUNTER, '0xffff']),
        call('eth_getBalance', [COUNTER, 'latest', 'latest']),
        call('eth_getCode', [COUNTER]),
        call('eth_getStorageAt', [COUNTER, '0x0', { blockHash: hash }]),
        call('eth_getTransactionCount', [sender, 'latest']),
        call('eth_getTransactionCount', [sender, 'pending']),
        call('eth_getBlockByNumber', ['latest', true]),
        call('eth_getBlockByHash', [hash, false]),
        call('eth_getTransactionReceipt', [transactions[0]?.hash]),
        call('eth_getTransactionByHash', [transactions[0]?.hash]),
        call('eth_gasPrice'),
        call('eth_call', [{ to: COUNTER }, 'latest']),
        call('eth_call', ['none']),
        call('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]),
        call('eth_syncing'),
        call('eth_capabilities'),
        call('web3_clientVersion'),
        call('txpool_status'),
        call('eth_nothing'),
      ]
      const answerer = createAnswerer({ methods: world.node.methods, limits: DEFAULT_RPC_LIMITS, log })
      for (const one of calls) {
        const expected = await answerer(parseRequest(JSON.stringify(one)), { signal, transport: 'http' })
        assert.deepEqual(await ask(one), JSON.parse(expected ?? 'null'), JSON.stringify(one))
      }
    }
  })

  it('answers the calls of a batch in order when some need the pool', async () => {
    const tx = world.transfer(1, COUNTER, 1n)
    const answers = await ask([
      call('eth_getTransactionCount', [world.accounts[1]?.address, 'latest'], 1),
      call('eth_sendRawTransaction', [bytesToHex(tx.raw)], 2),
      call('eth_getTransactionCount', [world.accounts[1]?.address, 'pending'], 3),
      call('eth_chainId', [], 4),
    ])
    assert.deepEqual(
      (answers as { readonly id: number; readonly result: string }[]).map(({ id, result }) => [id, result]),
      [
        [1, '0x0'],
        [2, tx.hash],
        [3, '0x1'],
        [4, `0x${world.chainId.toString(16)}`],
      ],
    )
  })

  it('answers reads while the thread of the chain is busy', () => {
    const body = JSON.stringify(call('eth_getBalance', [toAddress(`0x${'11'.repeat(20)}`), 'latest']))
    const headers = { 'content-type': 'application/json' }
    const options = JSON.stringify({ method: 'POST', headers, body })
    const script = `fetch(${JSON.stringify(service.urls[0])}, ${options}).then((answer) => answer.text()).then(console.log)`
    // This thread waits for the process.
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 120_000 })
    assert.deepEqual(JSON.parse(stdout), { jsonrpc: '2.0', id: 1, result: '0x0' })
  })

  it('runs the reads of the node, with and without the limits of callers', async () => {
    const laned = await thread.reads.methods.eth_call([{ to: COUNTER }, 'latest'], { signal, transport: 'http' })
    const plain = await thread.runner.run('eth_call', [{ to: COUNTER }, 'latest'], { limitMs: 5_000, signal, client: null })
    assert.ok(laned instanceof RawJson && plain instanceof RawJson)
    assert.equal(laned.text, plain.text)
    const gone = new AbortController()
    const stopped = thread.runner.run('eth_call', [{ to: COUNTER }, 'latest'], { limitMs: 5_000, signal: gone.signal, client: null })
    gone.abort(new RangeError('gone'))
    await assert.rejects(stopped, /gone/)
  })

  it('sends the id of a subscription before its notifications, and ends it with the connection', async () => {
    const { socket, messages, received } = await openSocket()
    socket.send(JSON.stringify(call('eth_subscribe', ['newHeads'])))
    await received(1)
    const block = await world.mine()
    await received(2)
    assert.equal(messages[1]?.params?.result.number, `0x${block.header.number.toString(16)}`)
    const foreign = await ask(call('eth_unsubscribe', [messages[0]?.result]))
    assert.ok('error' in (foreign as object))
    const other = await openSocket()
    socket.close()
    await once(socket, 'close')
    // A later message of another connection follows the close on its way to the node.
    other.socket.send(JSON.stringify(call('txpool_status')))
    await other.received(1)
    await world.mine()
    assert.equal(messages.length, 2)
    other.socket.close()
  })

  it('charges callers for what the node and its threads did', async () => {
    const own = await open({ access: { ...data.access, rpcBurst: 3 } })
    const limited = serve(own)
    await limited.start(signal)
    for (const method of ['eth_chainId', 'txpool_status', 'eth_blockNumber'])
      assert.ok('result' in ((await ask(call(method), limited)) as object))
    const refused = (await ask(call('txpool_status'), limited)) as { readonly error: { readonly code: number } }
    assert.equal(refused.error.code, 429)
    await limited.stop()
    await own.close()
    const { text } = await metrics.render()
    assert.match(text, /test_rpc_requests_total\{tier="anonymous",class="read"\} [1-9]/)
    assert.match(text, /test_rpc_refused_total\{tier="anonymous",class="unread"\} 1/)
  })

  it('shows the health of the node', async () => {
    const response = await fetch(`${service.urls[0]}/readyz`)
    assert.equal(response.status, 200)
  })

  it('names a port in use and a keys file that cannot be read', async () => {
    const own = await open()
    const taken = Number(new URL(service.urls[0] as string).port)
    const [http] = ports
    assert.ok(http !== undefined)
    const onTaken = serve(own, [{ ...http, server: { ...http.server, port: taken, option: '--http.port' } }])
    await assert.rejects(onTaken.start(signal), { name: 'RuntimeError', code: 'runtime/port-in-use' })
    await own.close()
    const unreadable = { ...data.access, rpcKeysFile: join(folder, 'none.json') }
    await assert.rejects(open({ access: unreadable }), { name: 'RuntimeError', code: 'runtime/api-keys' })
  })
})
