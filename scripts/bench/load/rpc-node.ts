import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rollupConfigToJson } from '@keelson/chainspec'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode } from '@keelson/execution'
import {
  type BuiltPayload,
  type Crypto,
  encodeHeader,
  type Header,
  hashHeader,
  keccak256Hash,
  toAddress,
  ZERO_HASH,
} from '@keelson/primitives'
import { createMetrics, createSystemClock, createSystemRandom, DEFAULT_RPC_LIMITS, openLevelStore } from '@keelson/runtime'
import type { GenesisState } from '@keelson/state'
import { openEngine } from '../../../packages/node/src/evm/open-engine.ts'
import { countBatches } from '../../../packages/node/src/rpc-workers/counted-store.ts'
import { openRpcWorkers, type RpcWorkers } from '../../../packages/node/src/rpc-workers/open-rpc-workers.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from '../../../test/support/rollup-config.ts'
import type { BenchAccounts } from '../accounts.ts'
import { type BenchChain, executionChain } from '../execution/bench-chain.ts'
import { openBlockMaker } from '../execution/block-maker.ts'
import { writeBenchGenesis } from '../execution/keelson-import.ts'
import { BENCH_CHAIN_ID } from '../execution/workloads.ts'
import { timed } from '../measure.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'

export interface BenchFiles {
  readonly folder: string
  readonly chain: BenchChain
  readonly accounts: BenchAccounts
  readonly crypto: Crypto
}

export async function makeBenchBlocks(
  { folder, chain, accounts, crypto }: BenchFiles,
  genesisState: GenesisState,
  contents: readonly (readonly Uint8Array[])[],
): Promise<BuiltPayload[]> {
  const config = makeRollupConfig({
    l1ChainId: 900n,
    l2ChainId: BENCH_CHAIN_ID,
    l1Genesis: { hash: keccak256Hash(new Uint8Array(0)), number: 0 },
    l2Genesis: { hash: hashHeader(chain.genesisHeader), number: 0, timestampSec: chain.genesisHeader.timestampSec },
    batcher: toAddress(accounts.address(0)),
    forks: JOVIAN_FROM_GENESIS,
  })
  writeFileSync(join(folder, 'rollup.json'), JSON.stringify(rollupConfigToJson(config)))
  const genesis = genesisStore(folder)
  await writeBenchGenesis(genesis, chain, genesisState)
  cpSync(genesis, join(folder, 'maker'), { recursive: true })
  const maker = await openBlockMaker(join(folder, 'maker'), chain, crypto)
  const blocks: BuiltPayload[] = []
  for (const transactions of contents) blocks.push(await maker.make(transactions))
  await maker.close()
  return blocks
}

export function genesisStore(folder: string): string {
  return join(folder, 'genesis')
}

export interface BenchNode {
  readonly node: ExecutionNode
  readonly reads: RpcWorkers | null
  close(): Promise<void>
}

export async function openBenchNode(
  { folder, chain, crypto }: BenchFiles,
  directory: string,
  threads: number,
  wrap: (reads: RpcWorkers) => RpcWorkers = (reads) => reads,
): Promise<BenchNode> {
  const level = await openLevelStore({ directory, multithreading: threads > 0 })
  const { store, revisions } = countBatches(level)
  const metrics = createMetrics('bench')
  const options = DEFAULT_EXECUTION_OPTIONS
  const data = {
    storeDirectory: directory,
    network: folder,
    allowSameChainId: false,
    forkTimes: {},
    genesisHeader: encodeHeader(chain.genesisHeader),
    rpc: options.rpc,
    maxAnswerBytes: DEFAULT_RPC_LIMITS.maxResponseBytes,
    slowCrypto: false,
    evm: 'wasm-interpreter' as const,
  }
  const log = { ...SILENT_LOGGER, error: console.error, warn: console.error }
  const pool = openRpcWorkers(threads, { data, revision: () => revisions.now(), log, metrics })
  const reads = pool === null ? null : wrap(pool)
  const node = await createExecutionNode(options, {
    chain: executionChain(chain),
    store,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: SILENT_LOGGER,
    metrics,
    crypto,
    evm: openEngine('wasm-interpreter', { crypto }),
    ...(reads === null ? {} : { reads }),
  })
  return {
    node,
    reads,
    async close() {
      await node.stop()
      await reads?.close()
      await level.close()
    },
  }
}

export interface BlockTimes {
  readonly built: number[]
  readonly imported: number[]
}

const PAUSE_MS = 250
const UNLABELLED = { safe: ZERO_HASH, finalized: ZERO_HASH }

export async function driveBlocks({ engine }: ExecutionNode, chain: BenchChain, blocks: readonly BuiltPayload[]): Promise<BlockTimes> {
  const times: BlockTimes = { built: [], imported: [] }
  for (const [i, { payload, parentBeaconBlockRoot }] of blocks.entries()) {
    const take = async () => {
      const { status } = await engine.newPayload(payload, parentBeaconBlockRoot)
      if (status !== 'VALID') throw new Error(`block ${payload.blockNumber} is ${status}`)
      await engine.forkchoiceUpdated({ head: payload.blockHash, ...UNLABELLED }, null)
    }
    const build = async () => {
      const parent = { number: payload.blockNumber - 1, timestampSec: payload.timestampSec - 2 } as Header
      const attributes = chain.attributes(parent, payload.transactions.slice(1))
      const { payloadId } = await engine.forkchoiceUpdated({ head: payload.parentHash, ...UNLABELLED }, attributes)
      if (payloadId === null) throw new Error(`the build of block ${payload.blockNumber} did not start`)
      const built = await engine.getPayload(payloadId)
      if (built.payload.blockHash !== payload.blockHash) throw new Error(`a different block ${payload.blockNumber} was built`)
      await take()
    }
    const [, elapsedMs] = await timed(i % 2 === 0 ? build : take)
    times[i % 2 === 0 ? 'built' : 'imported'].push(elapsedMs)
    await delay(PAUSE_MS)
  }
  return times
}
