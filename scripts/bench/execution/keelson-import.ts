import type { EvmEngine } from '@keelson/evm'
import { type BuiltPayload, type Crypto, hashHeader, ZERO_HASH } from '@keelson/primitives'
import { createSystemClock, type KeyValueStore, openLevelStore } from '@keelson/runtime'
import { type GenesisState, openStateStore, type StateStore } from '@keelson/state'
import { openChain } from '../../../packages/execution/src/chain/open-chain.ts'
import { createBlockImporter } from '../../../packages/execution/src/import/block-import.ts'
import { coverPayload } from '../../../packages/execution/src/import/covered-block.ts'
import { createSenders, type Senders } from '../../../packages/execution/src/senders/senders.ts'
import { openSenderThreads, senderThreads } from '../../../packages/node/src/senders/sender-threads.ts'
import { Stopwatch, timed } from '../measure.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import { type BenchChain, executionChain } from './bench-chain.ts'
import type { ImportTimes } from './import-times.ts'

export interface KeelsonImport {
  importBlock(built: BuiltPayload): Promise<ImportTimes>
  flatten(built: BuiltPayload): Promise<number>
  close(): Promise<void>
}

/** A flatten follows every import, as on a running chain. */
const KEPT_LAYERS = 2
const REMEMBERED_SENDERS = 32_768
const CACHED_BLOCKS = 256
const INVALID_BLOCKS = 16
const EXECUTED_BLOCKS = 8

type ImportWatch = Stopwatch<'senders' | 'root' | 'commit'>

export async function writeBenchGenesis(directory: string, chain: BenchChain, genesis: GenesisState): Promise<void> {
  const store = await openLevelStore({ directory })
  const state = await openStateStore(store)
  await state.initGenesis(genesis, { hash: hashHeader(chain.genesisHeader), number: 0 })
  await openChain(store, state, executionChain(chain), { cachedBlocks: 1 })
  await store.close()
}

export async function openKeelsonImport(directory: string, chain: BenchChain, crypto: Crypto, evm: EvmEngine): Promise<KeelsonImport> {
  const watch: ImportWatch = new Stopwatch()
  const level = await openLevelStore({ directory })
  const store: KeyValueStore = { ...level, batch: (ops, options) => watch.async('commit', () => level.batch(ops, options)) }
  const plain = await openStateStore(level, { keepLayers: KEPT_LAYERS })
  const state = timedState(plain, watch)
  const chainStore = await openChain(level, state, executionChain(chain), { cachedBlocks: CACHED_BLOCKS })
  const threads = openSenderThreads(senderThreads({ senderThreads: null }), { slowCrypto: false }, SILENT_LOGGER)
  const senders = createSenders(crypto, REMEMBERED_SENDERS, threads)
  const importer = createBlockImporter(
    { maxInvalidBlocks: INVALID_BLOCKS, maxExecutedBlocks: EXECUTED_BLOCKS, syncWrites: false },
    {
      chainId: chain.chainId,
      rules: chain.rules,
      chain: { ...chainStore, stageBlock: (...block) => watch.sync('commit', () => chainStore.stageBlock(...block)) },
      state,
      evm,
      crypto,
      senders: timedSenders(senders, watch),
      clock: createSystemClock(),
      log: SILENT_LOGGER,
    },
    store,
  )
  return {
    async importBlock({ payload, parentBeaconBlockRoot }) {
      watch.reset()
      const began = performance.now()
      const rules = chain.rules.rulesAt({ number: payload.blockNumber, timestampSec: payload.timestampSec })
      const [coverage, decodeMs] = await timed(() => coverPayload(payload, parentBeaconBlockRoot, null, rules))
      if (coverage.kind === 'refused') throw new Error(`block ${payload.blockNumber} was rejected: ${coverage.reason}`)
      const verdict = await importer.importBlock(coverage.block)
      if (verdict.kind !== 'valid') throw new Error(`block ${payload.blockNumber} was rejected: ${JSON.stringify(verdict)}`)
      await watch.async('commit', () => chainStore.setForkchoice({ head: payload.blockHash, safe: ZERO_HASH, finalized: ZERO_HASH }))
      const totalMs = performance.now() - began
      const [sendersMs, rootMs, commitMs] = [watch.ms('senders'), watch.ms('root'), watch.ms('commit')]
      const executionMs = totalMs - decodeMs - sendersMs - rootMs - commitMs
      return { decodeMs, sendersMs, executionMs, rootMs, commitMs, totalMs }
    },
    flatten: async ({ payload }) => (await timed(() => plain.flatten(payload.blockHash, payload.blockNumber)))[1],
    async close() {
      await threads?.close()
      await level.close()
    },
  }
}

function timedSenders(senders: Senders, watch: ImportWatch): Senders {
  return {
    recover: (...input) => watch.sync('senders', () => senders.recover(...input)),
    recoverAll(...input) {
      const list = watch.sync('senders', () => senders.recoverAll(...input))
      return { at: (index) => watch.sync('senders', () => list.at(index)) }
    },
  }
}

function timedState(state: StateStore, watch: ImportWatch): StateStore {
  return Object.assign(Object.create(state) as StateStore, {
    rootOf: (...input: Parameters<StateStore['rootOf']>) => watch.sync('root', () => state.rootOf(...input)),
    stageLayer: (...input: Parameters<StateStore['stageLayer']>) => watch.sync('commit', () => state.stageLayer(...input)),
  })
}
