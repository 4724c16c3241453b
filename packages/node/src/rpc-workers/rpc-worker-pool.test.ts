import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { rollupConfigToJson } from '@keelson/chainspec'
import { DEFAULT_EXECUTION_OPTIONS, type ReadMethod } from '@keelson/execution'
import { encodeHeader, hexToBytes, keccak256Hash, toAddress } from '@keelson/primitives'
import { createMetrics, openLevelStore, RawJson, RpcError, toRpcError } from '@keelson/runtime'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { rejection } from '../../../../test/support/rejection.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../../test/support/rollup-config.ts'
import { countBatches } from './counted-store.ts'
import type { RpcWorkerData } from './protocol.ts'
import { createReadMetrics } from './read-metrics.ts'
import { createRpcWorkerPool, type RpcWorkerPool } from './rpc-worker-pool.ts'
import { LongReadError } from './short-reads.ts'

const COUNTER = toAddress('0x00000000000000000000000000000000000ec003')
const LOOP = toAddress('0x00000000000000000000000000000000000ec004')
const LIMITS = { limitMs: 60_000, client: null }
const contract = (address: ReturnType<typeof toAddress>, code: string) => ({
  address,
  nonce: 1n,
  balanceWei: 0n,
  code: hexToBytes(code),
  storage: [],
})

describe('worker threads for RPC', () => {
  let folder: string
  let world: ExecutionWorld
  let pool: RpcWorkerPool
  let data: RpcWorkerData
  let revision: () => number
  let closeStore: () => Promise<void>
  const metrics = createMetrics('test')
  const readMetrics = createReadMetrics(metrics)
  const log = createRecordingLogger()
  const { lines } = log
  const signal = new AbortController().signal

  const ask = async (method: ReadMethod, ...params: readonly unknown[]): Promise<string> => {
    const answer = await pool.run(method, params, { ...LIMITS, signal })
    assert.ok(answer instanceof RawJson)
    return answer.text
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-workers-'))
    const level = await openLevelStore({ directory: join(folder, 'chain'), multithreading: true })
    closeStore = () => level.close()
    const counted = countBatches(level)
    revision = () => counted.revisions.now()
    world = await createExecutionWorld({
      store: counted.store,
      // COUNTER increments slot 0 and returns its old value; LOOP never ends.
      alloc: [contract(COUNTER, '0x5f54806001015f555f5260205ff3'), contract(LOOP, '0x5b5f56')],
    })
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
      storeDirectory: join(folder, 'chain'),
      network: folder,
      allowSameChainId: false,
      forkTimes: {},
      genesisHeader: encodeHeader(world.node.chain.genesis.header),
      rpc: { ...DEFAULT_EXECUTION_OPTIONS.rpc, callGasCap: 1_000_000_000n },
      maxAnswerBytes: 100_000,
      slowCrypto: true,
      evm: 'wasm-interpreter',
    }
    pool = createRpcWorkerPool({ threads: 1, graceMs: 2_000 }, { data, revision, log, metrics: readMetrics })
  })
  after(async () => {
    await pool.close()
    await world.stop()
    await closeStore()
    await rm(folder, { recursive: true, force: true })
  })

  it('answer as the main thread does, errors included, from a head that is never older', async () => {
    const call = { to: COUNTER }
    const outcome = async (answer: () => unknown): Promise<unknown> => {
      try {
        const result = await answer()
        return result instanceof RawJson ? JSON.parse(result.text) : result
      } catch (error) {
        const { number, message, data: details } = toRpcError(error)
        return { number, message, details }
      }
    }
    for (let i = 0; i < 5; i++) {
      const { hash, transactions } = await world.mine({ transactions: [callCounter(world, BigInt(i))] })
      const questions: readonly (readonly [ReadMethod, readonly unknown[]])[] = [
        ['eth_call', [call]],
        ['eth_call', [call, hash]],
        ['eth_call', [call, '0x99']],
        ['eth_call', [{ to: 'nobody' }]],
        ['eth_call', [{ ...call, data: '0x', gas: '0x1' }]],
        ['eth_estimateGas', [call]],
        ['eth_getProof', [COUNTER, ['0x0'], 'latest']],
        ['eth_getBlockReceipts', [hash]],
        ['eth_feeHistory', ['0x4', 'latest', [10, 90]]],
        ['eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x1' }]],
        ['debug_traceTransaction', [transactions.at(-1)?.hash, { tracer: 'callTracer' }]],
        ['debug_traceTransaction', [transactions.at(-1)?.hash, { tracer: 'noTracer' }]],
      ]
      for (const [method, params] of questions) {
        const here = await outcome(() => world.node.methods[method]?.(params, { signal, transport: 'http' }))
        assert.deepEqual(await outcome(() => pool.run(method, params, { ...LIMITS, signal })), here, `${method} ${JSON.stringify(params)}`)
      }
    }
  })

  if (process.platform === 'linux')
    it('have the lowest priority, and leave the main thread its own', async () => {
      const before = await nicenessOfThreads()
      const own = createRpcWorkerPool({ threads: 1 }, { data, revision, log, metrics: createReadMetrics(createMetrics('nice')) })
      await own.run('eth_call', [{ to: COUNTER }], { ...LIMITS, signal })
      const during = await nicenessOfThreads()
      await own.close()
      const started = [...during.keys()].filter((thread) => !before.has(thread))
      assert.ok(started.length > 0 && started.some((thread) => during.get(thread) === 19))
      assert.equal(during.get(process.pid), before.get(process.pid))
      assert.notEqual(during.get(process.pid), 19)
      for (const [thread, niceness] of before) assert.equal(during.get(thread) ?? niceness, niceness)
    })

  if (process.platform === 'linux')
    it('answer a first call that other processes keep from the processor for longer than its time limit', async () => {
      const own = createRpcWorkerPool({ threads: 1 }, { data, revision, log, metrics: createReadMetrics(createMetrics('busy')) })
      await own.run('eth_getProof', [COUNTER, [], 'latest'], { ...LIMITS, signal })
      const busy = await occupyProcessors()
      try {
        const call = { to: LOOP, gas: '0xc350' }
        const answer = own.run('debug_traceCall', [call, 'latest', { tracer: 'callTracer', timeout: '150ms' }], {
          ...LIMITS,
          limitMs: 150,
          signal,
        })
        assert.match(((await answer) as RawJson).text, /out of gas/)
      } finally {
        await busy.stop()
        await own.close()
      }
    })

  it('refuse an answer that is too large before it travels', async () => {
    const returns200Kilobytes = { [COUNTER]: { code: '0x62030d405ff3' } }
    const error = await rejection(ask('eth_call', { to: COUNTER }, 'latest', returns200Kilobytes))
    assert.equal(error.number, -32003)
  })

  it('stop a call whose caller has gone, and go on', async () => {
    const caller = new AbortController()
    const endless = pool.run('eth_call', [{ to: LOOP, gas: '0x1c9c380' }], { ...LIMITS, signal: caller.signal })
    caller.abort(new RangeError('gone'))
    await assert.rejects(endless, RangeError)
    await ask('eth_call', { to: COUNTER })
    assert.equal(lines.length, 0)
  })

  it('are replaced when they do not end a call in time; what was lost says so', async () => {
    const lost = rejection(pool.run('eth_call', [{ to: LOOP }], { ...LIMITS, limitMs: -1_999, signal }))
    const beside = rejection(
      pool.run('debug_traceCall', [{ to: LOOP, gas: '0x1c9c380' }, 'latest', { timeout: '50s' }], { ...LIMITS, signal }),
    )
    for (const error of [await lost, await beside]) {
      assert.ok(error instanceof RpcError)
      assert.deepEqual([error.number, error.message], [-32000, 'the call was lost when its worker thread ended; try again'])
    }
    assert.match(lines.map((line) => JSON.stringify(line)).join('\n'), /eth_call did not end in time/)
    assert.equal(lines.length, 1)
    assert.match((await metrics.render()).text, /test_rpc_worker_restarts_total 1/)
    assert.equal(JSON.parse(await ask('eth_call', { to: COUNTER })), `0x${'5'.padStart(64, '0')}`)
  })

  it('are never all busy with traces and simulations: one of several is reserved for calls', async () => {
    const own = createMetrics('kept')
    const two = createRpcWorkerPool({ threads: 2 }, { data, revision, log, metrics: createReadMetrics(own) })
    const threads = async () => /kept_rpc_workers (\d)/.exec((await own.render()).text)?.[1]
    const trace = () => two.run('debug_traceCall', [{ to: LOOP, gas: '0x1c9c380' }, 'latest', { timeout: '200ms' }], { ...LIMITS, signal })
    const took: number[] = []
    const traces = [trace(), trace(), trace()].map((ended) => ended.catch(() => undefined))
    assert.equal(await threads(), '1')
    const call = two.run('eth_call', [{ to: COUNTER }], { ...LIMITS, signal, took: (readMs) => took.push(readMs) })
    assert.equal(await threads(), '2')
    assert.ok((await call) instanceof RawJson)
    assert.ok(took.length === 1 && (took[0] as number) > 0, 'it says how long the thread was at it')
    await Promise.all(traces)
    await two.close()
  })

  it('stop a read that is long, so that short ones need not wait for it', async () => {
    const pace = { niceness: 0, maxReadMs: 8 }
    const short = createRpcWorkerPool({ threads: 1, pace }, { data, revision, log, metrics: createReadMetrics(createMetrics('short')) })
    const call = (to: unknown) => short.run('eth_call', [{ to, gas: '0x2faf080' }], { ...LIMITS, signal })
    await assert.rejects(call(LOOP), LongReadError)
    assert.ok((await call(COUNTER)) instanceof RawJson)
    await short.close()
  })

  it('say that they cannot start, and are not tried at every call', async () => {
    const broken = createRpcWorkerPool(
      { threads: 1 },
      { data: { ...data, network: join(folder, 'nowhere') }, revision, log, metrics: createReadMetrics(createMetrics('broken')) },
    )
    const before = lines.length
    assert.match((await rejection(broken.run('eth_call', [{ to: COUNTER }], { ...LIMITS, signal }))).message, /lost/)
    assert.match(
      (await rejection(broken.run('eth_call', [{ to: COUNTER }], { ...LIMITS, signal }))).message,
      /no worker thread can be started/,
    )
    assert.equal(lines.length, before + 1)
    await broken.close()
    assert.match((await rejection(broken.run('eth_call', [], { ...LIMITS, signal }))).message, /stopping/)
  })
})

async function occupyProcessors(): Promise<{ stop(): Promise<void> }> {
  const source = 'process.stdout.write("busy"); for (;;);'
  const children = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', source]))
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  return {
    async stop() {
      await Promise.all(
        children.map((child) => {
          const ended = once(child, 'exit')
          child.kill('SIGKILL')
          return ended
        }),
      )
    },
  }
}

/** By thread ID. proc(5) */
async function nicenessOfThreads(): Promise<Map<number, number>> {
  const nicenessOf = async (thread: string) => {
    const stat = await readFile(`/proc/self/task/${thread}/stat`, 'utf8')
    // The name is in parentheses; niceness is the nineteenth field.
    return [Number(thread), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])] as const
  }
  return new Map(await Promise.all((await readdir('/proc/self/task')).map(nicenessOf)))
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
