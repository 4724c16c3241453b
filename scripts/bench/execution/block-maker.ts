import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS } from '@keelson/execution'
import { type BuiltPayload, type Crypto, ZERO_HASH } from '@keelson/primitives'
import { createManualClock, createMetrics, createSeededRandom, openLevelStore } from '@keelson/runtime'
import { openEngine } from '../../../packages/node/src/evm/open-engine.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import { type BenchChain, executionChain } from './bench-chain.ts'

export interface BlockMaker {
  make(transactions: readonly Uint8Array[]): Promise<BuiltPayload>
  close(): Promise<void>
}

export async function openBlockMaker(directory: string, chain: BenchChain, crypto: Crypto): Promise<BlockMaker> {
  const store = await openLevelStore({ directory })
  const node = await createExecutionNode(DEFAULT_EXECUTION_OPTIONS, {
    chain: executionChain(chain),
    store,
    clock: createManualClock(0),
    random: createSeededRandom(1),
    log: SILENT_LOGGER,
    metrics: createMetrics('bench'),
    crypto,
    evm: openEngine('wasm-interpreter', { crypto }),
  })
  const { engine } = node
  const unlabelled = { safe: ZERO_HASH, finalized: ZERO_HASH }
  return {
    async make(transactions) {
      const { hash, header } = node.chain.label('unsafe')
      const started = await engine.forkchoiceUpdated({ head: hash, ...unlabelled }, chain.attributes(header, transactions))
      if (started.payloadId === null) throw new Error(`building failed: ${JSON.stringify(started.status)}`)
      const built = await engine.getPayload(started.payloadId)
      const status = await engine.newPayload(built.payload, built.parentBeaconBlockRoot)
      if (status.status !== 'VALID') throw new Error(`own block rejected: ${JSON.stringify(status)}`)
      await engine.forkchoiceUpdated({ head: built.payload.blockHash, ...unlabelled }, null)
      return built
    },
    async close() {
      await node.stop()
      await store.close()
    },
  }
}
