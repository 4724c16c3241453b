/**
 * Block times of the engine API before and during a flood of endless calls, traces and log queries on the RPC port.
 *   node --import=tsx scripts/bench/load/rpc-flood.ts [--blocks N] [--threads N] [--transactions N]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { toAddress } from '@keelson/primitives'
import { createMetrics, createRpcServer, createSystemClock, RawJson } from '@keelson/runtime'
import { computeGenesisState } from '@keelson/state'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import { createBenchAccounts } from '../accounts.ts'
import { createBenchChain } from '../execution/bench-chain.ts'
import { BENCH_CHAIN_ID, createTransactionSource, WORKLOADS } from '../execution/workloads.ts'
import { describeMachine, machineLine } from '../machine.ts'
import { median, timed } from '../measure.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import { formatTable } from '../table.ts'
import { driveBlocks, genesisStore, makeBenchBlocks, openBenchNode } from './rpc-node.ts'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '16' },
    threads: { type: 'string', default: '1' },
    transactions: { type: 'string', default: '300' },
  },
})
const blocksInPhase = Number(values.blocks)
const perBlock = Number(values.transactions)
const WARM_UP_BLOCKS = 4
const ACCOUNTS = 20_000

const workload = WORKLOADS.find(({ kind }) => kind === 'erc20') as (typeof WORKLOADS)[number]
const blockCount = WARM_UP_BLOCKS + 2 * blocksInPhase
const crypto = createNativeCrypto()
const accounts = createBenchAccounts(Math.max(ACCOUNTS, blockCount * perBlock), blockCount * perBlock, crypto)
const genesisState = computeGenesisState(accounts.alloc)
const chain = createBenchChain('rollup', BENCH_CHAIN_ID, genesisState)
const folder = mkdtempSync(join(tmpdir(), 'keelson-flood-'))
const files = { folder, chain, accounts, crypto }
console.log(machineLine(describeMachine()))

async function openNode(directory: string, threads: number) {
  const opened = await openBenchNode(files, directory, threads)
  const server = createRpcServer(
    { name: 'RPC', host: '127.0.0.1', port: 0, http: true, ws: false },
    { methods: opened.node.methods, log: SILENT_LOGGER, clock: createSystemClock(), metrics: createMetrics('bench') },
  )
  await server.start(new AbortController().signal)
  return {
    ...opened,
    url: server.httpUrl,
    async close() {
      await server.stop()
      await opened.close()
    },
  }
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

async function firstCall({ reads }: Awaited<ReturnType<typeof openNode>>): Promise<void> {
  if (reads === null) return
  const { rss } = process.memoryUsage()
  const [answer, elapsedMs] = await timed(() =>
    reads
      .run('eth_call', [{ to: toAddress(accounts.token) }], { limitMs: 60_000, signal: new AbortController().signal, client: null })
      .catch((error: unknown) => error),
  )
  if (!(answer instanceof RawJson) && !(answer instanceof Error)) throw new Error('no answer')
  console.log(
    `first call, including the start of a worker from source: ${elapsedMs.toFixed(0)} ms, ${((process.memoryUsage().rss - rss) / 2 ** 20).toFixed(0)} MiB`,
  )
}

try {
  const source = createTransactionSource(accounts, crypto)
  const contents = Array.from({ length: blockCount }, () => source.next({ workload, transactions: perBlock }))
  const blocks = await makeBenchBlocks(files, genesisState, contents)
  const rows: string[][] = []
  for (const threads of [0, Number(values.threads)]) {
    const directory = join(folder, `store-${threads}`)
    cpSync(genesisStore(folder), directory, { recursive: true })
    const opened = await openNode(directory, threads)
    await firstCall(opened)
    await driveBlocks(opened.node, chain, blocks.slice(0, WARM_UP_BLOCKS))
    const calm = await driveBlocks(opened.node, chain, blocks.slice(WARM_UP_BLOCKS, WARM_UP_BLOCKS + blocksInPhase))
    const stop = await startFlood(opened.url)
    await delay(2_000)
    const flooded = await driveBlocks(opened.node, chain, blocks.slice(WARM_UP_BLOCKS + blocksInPhase))
    const answered = await stop()
    for (const [name, phase] of [
      ['in peace', calm],
      ['during the flood', flooded],
    ] as const) {
      const show = (times: readonly number[]) => [median(times).toFixed(0), Math.max(...times).toFixed(0)]
      rows.push([`${threads} threads, ${name}`, ...show(phase.built), ...show(phase.imported)])
    }
    console.error(`${threads} threads: calls answered during the flood ${JSON.stringify(answered)}`)
    await opened.close()
  }
  const title = `${perBlock} ERC-20 transfers per block, ${blocksInPhase} blocks per phase; ms`
  console.log(formatTable([title, 'build p50', 'max', 'import p50', 'max'], rows))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
