import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode, opChainRules } from '@keelson/execution'
import {
  blockToPayload,
  type Crypto,
  type ExecutionPayload,
  type Hash,
  L2_TO_L1_MESSAGE_PASSER,
  type PayloadAttributes,
  type PayloadEnvelope,
  ZERO_HASH,
} from '@keelson/primitives'
import { createMetrics, createSystemClock, createSystemRandom, openLevelStore } from '@keelson/runtime'
import { openEngine } from '../../../packages/node/src/evm/open-engine.ts'
import { SILENT_LOGGER } from '../silent-logger.ts'
import type { L2Network } from './l2-history.ts'

export interface L2Node {
  readonly node: ExecutionNode
  readonly l2Source: {
    payload(at: 'unsafe' | 'safe' | 'finalized' | number | Hash): Promise<PayloadEnvelope | null>
    messagePasserStorageRoot(block: Hash): Promise<Hash | null>
  }
  make(parent: Hash, attributes: PayloadAttributes): Promise<ExecutionPayload>
  close(): Promise<void>
}

export async function openL2Node(
  { config, genesis }: Pick<L2Network, 'config' | 'genesis'>,
  directory: string,
  crypto: Crypto,
): Promise<L2Node> {
  const store = await openLevelStore({ directory })
  const node = await createExecutionNode(DEFAULT_EXECUTION_OPTIONS, {
    chain: { chainId: config.l2ChainId, rules: opChainRules(config.forks), genesis },
    store,
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: SILENT_LOGGER,
    metrics: createMetrics('bench'),
    crypto,
    evm: openEngine('wasm-interpreter', { crypto }),
  })
  await node.start(new AbortController().signal)
  const { engine, chain } = node
  const unlabelled = { safe: ZERO_HASH, finalized: ZERO_HASH }
  const envelope = (hash: Hash | null): PayloadEnvelope | null => {
    const block = hash === null ? null : chain.block(hash)
    return block === null ? null : blockToPayload(block, true)
  }
  return {
    node,
    l2Source: {
      async payload(at) {
        if (typeof at === 'number') return envelope(chain.canonicalHash(at))
        return envelope(at === 'unsafe' || at === 'safe' || at === 'finalized' ? chain.label(at).hash : at)
      },
      messagePasserStorageRoot: () => Promise.reject(new Error(`${L2_TO_L1_MESSAGE_PASSER}: not used in this network`)),
    },
    async make(parent, attributes) {
      const started = await engine.forkchoiceUpdated({ head: parent, ...unlabelled }, attributes)
      if (started.payloadId === null) throw new Error(`building failed: ${JSON.stringify(started.status)}`)
      const { payload, parentBeaconBlockRoot } = await engine.getPayload(started.payloadId)
      const status = await engine.newPayload(payload, parentBeaconBlockRoot)
      if (status.status !== 'VALID') throw new Error(`own block rejected: ${JSON.stringify(status)}`)
      return payload
    },
    async close() {
      await node.stop()
      await store.close()
    },
  }
}
