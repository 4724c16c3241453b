/** The execution client runs once in the same process and once in another. */
import { join } from 'node:path'
import { createEngineClient, createHttpRpcClient, createL2BlockSource } from '@keelson/client'
import { createConsensusNode, DEFAULT_CONSENSUS_OPTIONS } from '@keelson/consensus'
import type { Crypto, EngineApi } from '@keelson/primitives'
import { createJwt, createMemoryStore, createMetrics, createSystemClock, createSystemRandom, parseJwtSecret } from '@keelson/runtime'
import { engineVersionsFor } from '../../../packages/node/src/commands/consensus/engine-versions.ts'
import { decompress } from '../../../packages/node/src/crypto/compression.ts'
import type { Profiler } from '../cpu-profile.ts'
import { timed } from '../measure.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import { startEngineProcess } from './engine-process.ts'
import { type L2History, makeL2History } from './l2-history.ts'
import { type L2Node, openL2Node } from './l2-node.ts'

export interface DerivationBenchOptions {
  readonly blocks: number
  readonly directory: string
  readonly crypto: Crypto
  readonly profiler: Profiler
  readonly progress: (line: string) => void
}

export interface DerivationResult {
  readonly transport: string
  readonly blocks: number
  readonly l1Blocks: number
  readonly userTransactions: number
  readonly seconds: number
  readonly blocksPerSec: number
  readonly cpuSeconds: number
}

interface EngineAccess {
  readonly engine: EngineApi
  readonly l2: L2Node['l2Source']
  close(): Promise<void>
}

const JWT_SECRET = '5e'.repeat(32)
const HISTORY = { l1BlockTimeSec: 4, transactionEveryBlocks: 10, blocksPerChannel: 120 } as const

export async function runDerivationBench(options: DerivationBenchOptions): Promise<readonly DerivationResult[]> {
  const { blocks, directory, crypto, progress } = options
  progress(`an L2 chain of ${blocks} blocks and its batches`)
  const history = await makeL2History({ ...HISTORY, blocks, directory: join(directory, 'maker'), crypto })
  const results: DerivationResult[] = []
  for (const [transport, connect] of [
    ['calls in process', inProcess],
    ['HTTP and JWT, two processes', overHttp],
  ] as const) {
    progress(`deriving: ${transport}`)
    const { ms, cpuSeconds } = await derive(options, history, `derivation, ${transport}`, connect)
    results.push({
      transport,
      blocks,
      l1Blocks: history.l1.head.number,
      userTransactions: history.userTransactions,
      seconds: ms / 1000,
      blocksPerSec: (blocks / ms) * 1000,
      cpuSeconds,
    })
  }
  return results
}

async function derive(
  { directory, crypto, profiler }: DerivationBenchOptions,
  history: L2History,
  name: string,
  connect: (history: L2History, directory: string, crypto: Crypto) => Promise<EngineAccess>,
): Promise<{ readonly ms: number; readonly cpuSeconds: number }> {
  const { config, l1, head } = history
  const access = await connect(history, join(directory, name), crypto)
  const consensus = createConsensusNode(DEFAULT_CONSENSUS_OPTIONS, {
    config,
    l1Chain: l1.chain,
    l1: l1.reader,
    blobs: l1.blobReader,
    engine: access.engine,
    l2: access.l2,
    gossip: null,
    store: createMemoryStore(),
    decompressor: { decompress },
    crypto,
    clock: createSystemClock(),
    log: SILENT_LOGGER,
    metrics: createMetrics('bench_consensus'),
  })
  const cpuBefore = process.cpuUsage()
  const [, ms] = await timed(() =>
    profiler.during(name, async () => {
      await consensus.l1Watcher.step()
      await consensus.settle()
    }),
  )
  const cpu = process.cpuUsage(cpuBefore)
  const safe = consensus.driver.heads?.safe
  const derived = (await access.l2.payload(head.number))?.payload.blockHash
  if (safe?.hash !== head.hash || derived !== head.hash) {
    throw new Error(`derived up to block ${safe?.number} ${safe?.hash}, expected ${head.number} ${head.hash}`)
  }
  await access.close()
  return { ms, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}

async function inProcess(history: L2History, directory: string, crypto: Crypto): Promise<EngineAccess> {
  const { node, l2Source, close } = await openL2Node(history, directory, crypto)
  return { engine: node.engine, l2: l2Source, close }
}

async function overHttp({ config }: L2History, directory: string): Promise<EngineAccess> {
  const process = await startEngineProcess({ directory, l1BlockTimeSec: HISTORY.l1BlockTimeSec, jwtSecret: JWT_SECRET })
  const { url } = process
  const clock = createSystemClock()
  const jwtSecret = parseJwtSecret(JWT_SECRET, 'the benchmark')
  const dependencies = { clock, random: createSystemRandom(), log: SILENT_LOGGER }
  const engine = createEngineClient({ url, jwtSecret, versionFor: engineVersionsFor(config) }, dependencies)
  const headers = async () => ({ authorization: `Bearer ${await createJwt(jwtSecret, clock)}` })
  const rpc = createHttpRpcClient({ url, headers }, dependencies)
  return {
    engine,
    l2: createL2BlockSource(rpc),
    async close() {
      engine.close()
      rpc.close()
      await process.stop()
    },
  }
}
