import assert from 'node:assert/strict'
import { createReadService, DEFAULT_EXECUTION_OPTIONS, opChainRules, type ReadMethod, type ReadService } from '@keelson/execution'
import { type Block, hexToBytes, toAddress, ZERO_HASH } from '@keelson/primitives'
import { createMemoryStore, createSystemClock, RawJson, toRpcError } from '@keelson/runtime'
import fc from 'fast-check'
import { createReadViews } from '../../packages/execution/src/reads/read-views.ts'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { createTestEngine } from '../support/test-engine.ts'

const COUNTER = toAddress('0x00000000000000000000000000000000000ec003')
const COUNTER_CODE = hexToBytes('0x5f54806001015f555f5260205fa05f5160205260206020f3')
const NO_SIGNAL = { signal: new AbortController().signal, transport: 'http' } as const
const SMALL_STATE = { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 2, maxLayers: 6, historyBlocks: 4 }

async function open() {
  const inner = createMemoryStore()
  let written = 0
  const store = {
    ...inner,
    async batch(...given: Parameters<typeof inner.batch>) {
      await inner.batch(...given)
      written++
    },
  }
  const alloc = [{ address: COUNTER, nonce: 1n, balanceWei: 0n, code: COUNTER_CODE, storage: [] }]
  const world = await createExecutionWorld({ store, alloc, options: { state: SMALL_STATE } })
  const { genesis } = world.node.chain
  const views = { genesis, cachedBlocks: 6, chainCacheBytes: 100_000, stateCacheBytes: 100_000 }
  const service = createReadService(
    { ...views, rpc: DEFAULT_EXECUTION_OPTIONS.rpc },
    {
      source: inner,
      pending: () => null,
      rules: opChainRules(world.schedule),
      chainId: world.chainId,
      evm: createTestEngine({ crypto: world.crypto }),
      crypto: world.crypto,
      clock: world.clock,
    },
  )
  return { world, service, source: inner, viewOptions: views, revision: () => written }
}

async function outcome(answer: () => unknown): Promise<string> {
  try {
    const result = await answer()
    return result instanceof RawJson ? result.text : JSON.stringify(result ?? null)
  } catch (error) {
    const { number, message, data } = toRpcError(error)
    return JSON.stringify({ number, message, data })
  }
}

function questionsAbout(block: unknown): readonly (readonly [ReadMethod, readonly unknown[]])[] {
  const call = { to: COUNTER, data: '0x' }
  return [
    ['eth_call', [call, block]],
    ['eth_estimateGas', [call, block]],
    ['eth_createAccessList', [call, block]],
    ['eth_getProof', [COUNTER, ['0x0', '0x1'], block]],
    ['eth_getStorageValues', [{ [COUNTER]: ['0x0'] }, block]],
    ['eth_getBlockReceipts', [block]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [call, call] }] }, block]],
    ['debug_traceCall', [call, block, { tracer: 'prestateTracer' }]],
  ]
}

async function assertSameAnswers(world: ExecutionWorld, service: ReadService, revision: number, blocks: readonly Block[]): Promise<void> {
  const selectors = ['latest', 'safe', 'finalized', 'earliest', 'pending', '0xffff', ZERO_HASH]
  const questions = [
    ...[...selectors, ...blocks.flatMap(({ hash, header }) => [hash, `0x${header.number.toString(16)}`])].flatMap(questionsAbout),
    ...blocks.flatMap(({ hash, transactions }): [ReadMethod, readonly unknown[]][] => [
      ['eth_getLogs', [{ blockHash: hash }]],
      ['debug_traceBlockByHash', [hash, { tracer: 'callTracer' }]],
      ['debug_traceTransaction', [transactions.at(-1)?.hash ?? ZERO_HASH]],
    ]),
    ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest', address: COUNTER }]] as const,
    ['eth_getLogs', [{ fromBlock: 'earliest' }]] as const,
    ['eth_feeHistory', ['0x20', 'latest', [50]]] as const,
    ['eth_call', []] as const,
  ]
  for (const [method, params] of questions) {
    const handler = world.node.methods[method] as NonNullable<ExecutionWorld['node']['methods'][string]>
    const expected = await outcome(() => handler(params, NO_SIGNAL))
    assert.equal(await outcome(() => service.run(method, params, revision, NO_SIGNAL)), expected, `${method} ${JSON.stringify(params)}`)
  }
}

const step = fc.record({
  back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 7 }) }),
  calls: fc.nat(2),
  setHead: fc.boolean(),
  finalize: fc.boolean(),
  ask: fc.nat(3).map((n) => n === 0),
})

describe('execution: reads from snapshots', () => {
  it('answer like the node over siblings, reorgs, flattening, pruning and rewinds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
        const { world, service, source, viewOptions, revision } = await open()
        const { chain, engine } = world.node
        const views = createReadViews(source, viewOptions, createSystemClock())
        const blocks: Block[] = []
        const held: (() => Promise<void>)[] = []
        for (const { back, calls, setHead, finalize, ask } of steps) {
          const head = chain.label('unsafe').header.number
          const parent = chain.canonicalHash(Math.max(chain.label('finalized').header.number, head - back)) ?? chain.genesis.hash
          await engine.forkchoiceUpdated({ head: parent, safe: ZERO_HASH, finalized: ZERO_HASH }, null)
          const nonce = BigInt(await world.call('eth_getTransactionCount', world.accounts[0]?.address, 'latest'))
          const txs = Array.from({ length: calls }, (_, i) => callCounter(world, nonce + BigInt(i)))
          const timestampSec = (chain.header(parent)?.timestampSec ?? 0) + 2 + blocks.length
          const block = await world.mine({ parent, setHead, timestampSec, transactions: txs })
          blocks.push(block)
          if (finalize && setHead) {
            await engine.forkchoiceUpdated({ head: block.hash, safe: block.hash, finalized: parent }, null)
            await world.node.settled()
          }
          held.push(await holdView(world, views, revision()))
          if (ask) await assertSameAnswers(world, service, revision(), blocks.slice(-4))
        }
        await world.node.settled()
        await assertSameAnswers(world, service, revision(), blocks.slice(-9))
        for (const check of held) await check()
        assert.equal(views.open, 0)
        assert.equal(service.views.open, 0)
        await world.stop()
      }),
      { numRuns: 5 },
    )
  })

  it('share a recent snapshot, and see every batch written before they started', async () => {
    const { world, source, viewOptions, revision } = await open()
    const views = createReadViews(source, viewOptions, createSystemClock())
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = views.use(revision(), async (view) => {
      await released
      return view
    })
    const second = views.use(revision(), async (view) => view)
    assert.equal(views.open, 1)
    const block = await world.mine()
    const third = await views.use(revision(), async (view) => {
      assert.equal(views.open, 2)
      assert.equal(view.chain.label('unsafe').hash, block.hash)
      return view
    })
    release()
    assert.equal(await first, await second)
    assert.notEqual(await first, third)
    assert.equal(views.open, 0)
    await world.stop()
  })
})

async function holdView(world: ExecutionWorld, views: ReturnType<typeof createReadViews>, revision: number): Promise<() => Promise<void>> {
  const { chain } = world.node
  const head = chain.label('unsafe')
  const hashes = Array.from({ length: head.header.number + 2 }, (_, number) => chain.canonicalHash(number))
  const slot = await world.call('eth_getStorageAt', COUNTER, '0x0', 'latest')
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const reading = views.use(revision, async ({ chain: seen, state }) => {
    await released
    assert.equal(seen.label('unsafe').hash, head.hash)
    assert.deepEqual(
      hashes.map((_, number) => seen.canonicalHash(number)),
      hashes,
    )
    const value = state.viewAt(head.hash)?.storage(hexToBytes(COUNTER), new Uint8Array(32)) ?? null
    assert.equal(value === null ? null : `0x${Buffer.from(value).toString('hex')}`, slot)
  })
  return async () => {
    release()
    await reading
  }
}

function callCounter(world: ExecutionWorld, nonce: bigint): Uint8Array {
  return world.sign(0, {
    type: 2,
    chainId: world.chainId,
    nonce,
    gasLimit: 100_000n,
    to: hexToBytes(COUNTER),
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxPriorityFeePerGasWei: 1n,
    maxFeePerGasWei: 5_000_000_000n,
  }).raw
}
