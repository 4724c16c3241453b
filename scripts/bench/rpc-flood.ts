/**
 * Whether greedy RPC clients slow the chain: blocks are built and imported through the engine API in peace, then while
 * another process keeps the RPC port busy with endless calls, traces and log queries; with worker threads and without.
 *   node --import=tsx scripts/bench/rpc-flood.ts [--blocks N] [--threads N] [--transactions N]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rollupConfigToJson } from '@keelson/chainspec'
import { createReferenceEngine } from '@keelson/evm'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode } from '@keelson/execution'
import { type BuiltPayload, encodeHeader, hashHeader, keccak256Hash, toAddress, ZERO_HASH } from '@keelson/primitives'
import {
  createMetrics,
  createRpcServer,
  createSystemClock,
  createSystemRandom,
  DEFAULT_RPC_LIMITS,
  openLevelStore,
  RawJson,
} from '@keelson/runtime'
import { computeGenesisState } from '@keelson/state'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { countBatches } from '../../packages/node/src/rpc-workers/counted-store.ts'
import { openRpcWorkers } from '../../packages/node/src/rpc-workers/open-rpc-workers.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../test/support/rollup-config.ts'
import { createBenchAccounts } from './accounts.ts'
import { createBenchChain, executionChain } from './bench-chain.ts'
import { openBlockMaker } from './block-maker.ts'
import { writeBenchGenesis } from './keelson-import.ts'
import { describeMachine, machineLine } from './machine.ts'
import { median, timed } from './measure.ts'
import { SILENT_LOGGER } from './silent-logger.ts'
import { formatTable } from './table.ts'
import { BENCH_CHAIN_ID, createTransactionSource, WORKLOADS } from './workloads.ts'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '16' },
    threads: { type: 'string', default: '1' },
    transactions: { type: 'string', default: '300' },
  },
})
/** In each phase; every second one is built, the others come from elsewhere. */
const blocksInPhase = Number(values.blocks)
const perBlock = Number(values.transactions)
const WARM_UP_BLOCKS = 4
const PAUSE_MS = 250
const ACCOUNTS = 20_000

const workload = WORKLOADS.find(({ kind }) => kind === 'erc20') as (typeof WORKLOADS)[number]
const blockCount = WARM_UP_BLOCKS + 2 * blocksInPhase
const crypto = createNativeCrypto()
const accounts = createBenchAccounts(Math.max(ACCOUNTS, blockCount * perBlock), blockCount * perBlock, crypto)
const genesisState = computeGenesisState(accounts.alloc)
const chain = createBenchChain('rollup', BENCH_CHAIN_ID, genesisState)
const folder = mkdtempSync(join(tmpdir(), 'keelson-flood-'))
console.log(machineLine(describeMachine()))

interface Phase {
  readonly built: number[]
  readonly imported: number[]
}

async function makeBlocks(directory: string): Promise<BuiltPayload[]> {
  await writeBenchGenesis(directory, chain, genesisState)
  cpSync(directory, join(folder, 'maker'), { recursive: true })
  const maker = await openBlockMaker(join(folder, 'maker'), chain, crypto)
  const source = createTransactionSource(accounts, crypto)
  const blocks: BuiltPayload[] = []
  for (let i = 0; i < blockCount; i++) blocks.push(await maker.make(source.next({ workload, transactions: perBlock })))
  await maker.close()
  return blocks
}

function writeNetwork(): void {
  const config = makeRollupConfig({
    l1ChainId: 900n,
    l2ChainId: BENCH_CHAIN_ID,
    l1Genesis: { hash: keccak256Hash(new Uint8Array(0)), number: 0 },
    l2Genesis: { hash: hashHeader(chain.genesisHeader), number: 0, timestampSec: chain.genesisHeader.timestampSec },
    batcher: toAddress(accounts.address(0)),
    forks: JOVIAN_FROM_GENESIS,
  })
  writeFileSync(join(folder, 'rollup.json'), JSON.stringify(rollupConfigToJson(config)))
}

async function openNode(directory: string, threads: number) {
  const level = await openLevelStore({ directory, multithreading: threads > 0 })
  const { store, revision } = countBatches(level)
  const metrics = createMetrics('bench')
  const options = DEFAULT_EXECUTION_OPTIONS
  const data = {
    storeDirectory: directory,
    network: folder,
    allowSameChainId: false,
    genesisHeader: encodeHeader(chain.genesisHeader),
    rpc: options.rpc,
    maxAnswerBytes: DEFAULT_RPC_LIMITS.maxResponseBytes,
    slowCrypto: false,
  }
  const log = { ...SILENT_LOGGER, error: console.error, warn: console.error }
  const reads = openRpcWorkers(threads, { data, revision, log, metrics })
  const clock = createSystemClock()
  const node = await createExecutionNode(options, {
    chain: executionChain(chain),
    store,
    clock,
    random: createSystemRandom(),
    log: SILENT_LOGGER,
    metrics,
    crypto,
    evm: createReferenceEngine({ crypto }),
    ...(reads === null ? {} : { reads }),
  })
  const server = createRpcServer(
    { name: 'RPC', host: '127.0.0.1', port: 0, http: true, ws: false },
    { methods: node.methods, log: SILENT_LOGGER, clock, metrics },
  )
  await server.start(new AbortController().signal)
  return {
    node,
    url: server.httpUrl,
    reads,
    async close() {
      await server.stop()
      await node.stop()
      await reads?.close()
      await level.close()
    },
  }
}

const unlabelled = { safe: ZERO_HASH, finalized: ZERO_HASH }

async function runPhase({ engine }: ExecutionNode, blocks: readonly BuiltPayload[]): Promise<Phase> {
  const phase: Phase = { built: [], imported: [] }
  for (const [i, { payload, parentBeaconBlockRoot }] of blocks.entries()) {
    const take = async () => {
      const { status } = await engine.newPayload(payload, parentBeaconBlockRoot)
      if (status !== 'VALID') throw new Error(`block ${payload.blockNumber} is ${status}`)
      await engine.forkchoiceUpdated({ head: payload.blockHash, ...unlabelled }, null)
    }
    const build = async () => {
      const parent = { number: payload.blockNumber - 1, timestampSec: payload.timestampSec - 2 } as Parameters<typeof chain.attributes>[0]
      const attributes = chain.attributes(parent, payload.transactions.slice(1))
      const { payloadId } = await engine.forkchoiceUpdated({ head: payload.parentHash, ...unlabelled }, attributes)
      if (payloadId === null) throw new Error('building failed')
      const built = await engine.getPayload(payloadId)
      if (built.payload.blockHash !== payload.blockHash) throw new Error('another block was built')
      await take()
    }
    const [, elapsedMs] = await timed(i % 2 === 0 ? build : take)
    phase[i % 2 === 0 ? 'built' : 'imported'].push(elapsedMs)
    await delay(PAUSE_MS)
  }
  return phase
}

async function startFlood(url: string) {
  const child = fork(fileURLToPath(new URL('./rpc-flooder.ts', import.meta.url)), [url], { execArgv: ['--import=tsx'] })
  await once(child, 'message')
  return async (): Promise<Readonly<Record<string, number>>> => {
    child.send('stop')
    const [answered] = await once(child, 'message')
    child.disconnect()
    await once(child, 'exit')
    return answered
  }
}

/** Of a worker that has not been used: from the call to its answer. */
async function firstCall({ reads }: Awaited<ReturnType<typeof openNode>>): Promise<void> {
  if (reads === null) return
  const { rss } = process.memoryUsage()
  const [answer, elapsedMs] = await timed(() =>
    reads.run('eth_call', [{ to: toAddress(accounts.token) }], 60_000, new AbortController().signal).catch((error: unknown) => error),
  )
  if (!(answer instanceof RawJson) && !(answer instanceof Error)) throw new Error('no answer')
  console.log(
    `first call, with the start of a worker from source: ${elapsedMs.toFixed(0)} ms, ${((process.memoryUsage().rss - rss) / 2 ** 20).toFixed(0)} MiB`,
  )
}

try {
  writeNetwork()
  const blocks = await makeBlocks(join(folder, 'genesis'))
  const rows: string[][] = []
  for (const threads of [0, Number(values.threads)]) {
    const directory = join(folder, `store-${threads}`)
    cpSync(join(folder, 'genesis'), directory, { recursive: true })
    const opened = await openNode(directory, threads)
    await firstCall(opened)
    await runPhase(opened.node, blocks.slice(0, WARM_UP_BLOCKS))
    const calm = await runPhase(opened.node, blocks.slice(WARM_UP_BLOCKS, WARM_UP_BLOCKS + blocksInPhase))
    const stop = await startFlood(opened.url)
    await delay(2_000)
    const flooded = await runPhase(opened.node, blocks.slice(WARM_UP_BLOCKS + blocksInPhase))
    const answered = await stop()
    for (const [name, phase] of [
      ['in peace', calm],
      ['under the flood', flooded],
    ] as const) {
      const show = (times: readonly number[]) => [median(times).toFixed(0), Math.max(...times).toFixed(0)]
      rows.push([`${threads} threads, ${name}`, ...show(phase.built), ...show(phase.imported)])
    }
    console.error(`${threads} threads: answered meanwhile ${JSON.stringify(answered)}`)
    await opened.close()
  }
  const title = `${perBlock} ERC-20 transfers a block, ${blocksInPhase} blocks a phase; ms`
  console.log(formatTable([title, 'build p50', 'max', 'import p50', 'max'], rows))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
