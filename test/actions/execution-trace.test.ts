import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { bytesToHex, encodeBlock, hexToBytes, toAddress } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'
import { rejection } from '../support/rejection.ts'

const COUNTER = toAddress('0x00000000000000000000000000000000000ec003')
const LOOP = toAddress('0x00000000000000000000000000000000000ec004')
const COUNTER_CODE = hexToBytes('0x5f54806001015f555f5260205ff3')
const contract = (address: ReturnType<typeof toAddress>, code: string | Uint8Array) => ({
  address,
  nonce: 1n,
  balanceWei: 0n,
  code: typeof code === 'string' ? hexToBytes(code) : code,
  storage: [],
})
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

function openWorld(rpc: Partial<typeof DEFAULT_EXECUTION_OPTIONS.rpc> = {}): Promise<ExecutionWorld> {
  return createExecutionWorld({
    alloc: [contract(COUNTER, COUNTER_CODE), contract(LOOP, '0x5b5f56')],
    options: { rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, ...rpc } },
  })
}

function callTo(world: ExecutionWorld, to: string, nonce: bigint, gasLimit = 100_000n) {
  return world.sign(0, {
    type: 2,
    chainId: world.chainId,
    nonce,
    gasLimit,
    to: hexToBytes(to),
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxPriorityFeePerGasWei: 1n,
    maxFeePerGasWei: 5_000_000_000n,
  })
}

describe('execution RPC: traces', () => {
  it('traces a transaction after those before it in its block', async () => {
    const world = await openWorld()
    const txs = [0n, 1n, 2n].map((nonce) => callTo(world, COUNTER, nonce))
    const block = await world.mine({ transactions: txs.map((tx) => tx.raw) })
    const hashes = block.transactions.map((tx) => tx.hash)
    for (const [i, hash] of hashes.slice(1).entries()) {
      const trace = await world.call('debug_traceTransaction', hash, { tracer: 'callTracer' })
      assert.deepEqual([trace.to, trace.output], [COUNTER, word(i)])
      const receipt = await world.call('eth_getTransactionReceipt', hash)
      assert.equal(trace.gasUsed, receipt.gasUsed)
    }
    const all = await world.call('debug_traceBlockByHash', block.hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } })
    assert.deepEqual(
      all.map((entry: { txHash: string }) => entry.txHash),
      hashes,
    )
    assert.deepEqual(all[3].result.post[COUNTER].storage, { [word(0)]: word(3) })
    assert.deepEqual(all[3].result.pre[COUNTER].storage, { [word(0)]: word(2) })
    const byNumber = await world.call('debug_traceBlockByNumber', '0x1')
    const receipts = await world.call('eth_getBlockReceipts', '0x1')
    assert.deepEqual(
      byNumber.map((entry: { result: { gas: number } }) => entry.result.gas),
      receipts.map((receipt: { gasUsed: string }) => Number(receipt.gasUsed)),
    )
    await world.stop()
  })

  it('traces a given block, known or unknown, and a call between two transactions of a block', async () => {
    const world = await openWorld()
    const txs = [0n, 1n, 2n].map((nonce) => callTo(world, COUNTER, nonce))
    const block = await world.mine({ transactions: txs.map((tx) => tx.raw) })
    const raw = await world.call('debug_getRawBlock', block.hash)
    const config = { tracer: 'callTracer' }
    assert.deepEqual(await world.call('debug_traceBlock', raw, config), await world.call('debug_traceBlockByHash', block.hash, config))
    const unknown = bytesToHex(encodeBlock({ ...block, header: { ...block.header, extraData: new Uint8Array(17) } }))
    const traces = await world.call('debug_traceBlock', unknown, config)
    assert.deepEqual([traces.length, traces[3].txHash, traces[3].result.output], [4, txs[2]?.hash, word(2)])
    assert.match((await rejection(world.call('debug_traceBlock', '0xc0'))).message, /^could not decode block: /)
    assert.equal(
      (await rejection(world.call('debug_traceBlock', await world.call('debug_getRawBlock', '0x0')))).message,
      'genesis is not traceable',
    )
    const seen = async (txIndex?: string) =>
      (await world.call('debug_traceCall', { to: COUNTER }, block.hash, { ...config, ...(txIndex === undefined ? {} : { txIndex }) }))
        .output
    assert.deepEqual(await Promise.all(['0x0', '0x1', '0x2', '0x4', undefined].map(seen)), [word(0), word(0), word(1), word(3), word(3)])
    assert.match((await rejection(seen('0x5'))).message, /^transaction index 5 out of range for block 0x/)
    assert.equal((await rejection(seen('5'))).number, -32602)
    await world.stop()
  })

  it('traces blocks below the diff layers, and reports where history ends', async () => {
    const world = await openWorld()
    const first = await world.mine({ transactions: [callTo(world, COUNTER, 0n).raw] })
    for (let i = 0; i < 5; i++) await world.mine()
    const head = world.node.chain.label('unsafe')
    await world.engine.forkchoiceUpdated({ head: head.hash, safe: head.hash, finalized: head.hash }, null)
    await world.node.settled()
    const trace = await world.call('debug_traceTransaction', first.transactions[1]?.hash, { tracer: 'callTracer' })
    assert.equal(trace.output, word(0))
    await world.stop()
  })

  it('traces a call with state and block overrides', async () => {
    const world = await openWorld()
    await world.mine()
    const call = { to: COUNTER }
    const overrides = { stateOverrides: { [COUNTER]: { stateDiff: { [word(0)]: word(41) } } } }
    const trace = await world.call('debug_traceCall', call, 'latest', { tracer: 'callTracer', ...overrides })
    assert.equal(trace.output, word(41))
    const number = { to: LOOP }
    const config = { stateOverrides: { [LOOP]: { code: '0x435f5260205ff3' } }, blockOverrides: { number: '0x1234' } }
    const answer = await world.call('debug_traceCall', number, 'latest', config)
    assert.equal(answer.returnValue, word(0x1234))
    await world.stop()
  })

  it('stops a trace that takes too long or grows too large, and keeps serving', async () => {
    const world = await openWorld({ maxTraceBytes: 100_000 })
    const block = await world.mine({ transactions: [callTo(world, LOOP, 0n, 1_000_000n).raw] })
    const hash = block.transactions[1]?.hash
    assert.match((await rejection(world.call('debug_traceTransaction', hash))).message, /larger than 100000 bytes/)
    const { clock } = world
    const monotonicMs = clock.monotonicMs.bind(clock)
    let moved = 0
    clock.monotonicMs = () => monotonicMs() + 500 * moved++
    const slow = await rejection(world.call('debug_traceTransaction', hash, { tracer: 'callTracer', timeout: '1s' }))
    clock.monotonicMs = monotonicMs
    assert.deepEqual([slow.number, slow.message], [-32000, 'execution timeout'])
    const trace = await world.call('debug_traceTransaction', hash, { tracer: 'callTracer' })
    assert.equal(trace.error, 'out of gas')
    await world.stop()
  })

  it('reports what is wrong with a request', async () => {
    const world = await openWorld()
    const unknown = bytesToHex(new Uint8Array(32))
    assert.equal((await rejection(world.call('debug_traceTransaction', unknown))).message, 'transaction not found')
    assert.equal((await rejection(world.call('debug_traceBlockByHash', unknown))).message, `block ${unknown} not found`)
    assert.equal((await rejection(world.call('debug_traceBlockByNumber', '0x63'))).message, 'block #99 not found')
    assert.equal((await rejection(world.call('debug_traceBlockByNumber', '0x0'))).message, 'genesis is not traceable')
    const call = { to: COUNTER }
    assert.match((await rejection(world.call('debug_traceCall', call, 'latest', { tracer: 'x' }))).message, /^tracer not found: x/)
    assert.equal((await rejection(world.call('debug_traceCall', call, 'latest', { timeout: 'soon' }))).number, -32602)
    await world.stop()
  })
})
