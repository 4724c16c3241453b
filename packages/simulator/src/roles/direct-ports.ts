/** The ports of consensus and execution clients without JSON-RPC, or with it when the world says so. */
import {
  createEngineClient,
  createL2BlockSource,
  createPayloadCache,
  createRollupClient,
  engineError,
  type L2BlockLabel,
  type L2BlockSource,
} from '@keelson/client'
import type { ExecutionNode } from '@keelson/execution'
import { engineVersionsFor } from '@keelson/node/assembly'
import {
  blockToPayload,
  type EngineApi,
  EngineApiError,
  type Hash,
  type PayloadEnvelope,
  type PayloadId,
  type RollupApi,
} from '@keelson/primitives'
import type { PortCall } from '../network/simulated-ports.ts'
import { type Host, PORTS, urlOf } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'

type ExecutionPort = Pick<ExecutionNode, 'engine' | 'chain'>

/** Those of the production clients. */
const ENGINE_TIMEOUT_MS = 30_000
const READ_TIMEOUT_MS = 15_000
const MAX_BUILDS = 64

/** The execution client of this machine. */
export function openEngine(host: Host, { config }: RollupNetwork): EngineApi {
  const { machine, process, log, metrics, http, world } = host
  if (world.realRpc) {
    const options = { url: urlOf(machine, PORTS.engine), jwtSecret: null, versionFor: engineVersionsFor(config) }
    return createEngineClient(options, { clock: process.clock, random: process.random, log, metrics, http })
  }
  const call = <T>(what: string, run: (engine: EngineApi) => Promise<T>, contentOf: (answer: T) => string): Promise<T> => {
    const request: PortCall<ExecutionPort, T> = {
      what,
      contentOf,
      timeoutMs: ENGINE_TIMEOUT_MS,
      retry: false,
      run: ({ engine }) => run(engine),
    }
    return world.ports.call(host, `${machine}:${PORTS.engine}`, request).catch((error: unknown) => {
      throw engineError(what, error)
    })
  }
  /** Begun over this connection, oldest first. */
  const builds: PayloadId[] = []
  return {
    async forkchoiceUpdated(state, attributes) {
      const result = await call(
        `forkchoiceUpdated ${state.head} ${state.safe} ${state.finalized}`,
        (engine) => engine.forkchoiceUpdated(state, attributes),
        ({ status, payloadId }) => `${status.status} ${payloadId}`,
      )
      if (result.payloadId !== null) builds.push(result.payloadId)
      if (builds.length > MAX_BUILDS) builds.shift()
      return result
    },
    async getPayload(id) {
      if (!builds.includes(id)) throw new EngineApiError('engine/unknown-payload', `payload ${id} was not begun over this connection`)
      return call(
        `getPayload ${id}`,
        (engine) => engine.getPayload(id),
        ({ payload }) => payload.blockHash,
      )
    },
    newPayload: (payload, parentBeaconBlockRoot) =>
      call(
        `newPayload ${payload.blockHash}`,
        (engine) => engine.newPayload(payload, parentBeaconBlockRoot),
        ({ status }) => status,
      ),
  }
}

/** The blocks of an execution client, at one of its ports. */
export function openBlocks(host: Host, machine: string, port: number): L2BlockSource {
  const { world } = host
  const overRpc = createL2BlockSource(host.rpc(urlOf(machine, port)))
  if (world.realRpc) return overRpc
  const cache = createPayloadCache()
  return {
    async payload(at) {
      const cached = cache.get(at as Hash)
      if (cached !== undefined) return cached
      const found = await world.ports.call(host, `${machine}:${port}`, {
        what: `payload ${at}`,
        timeoutMs: READ_TIMEOUT_MS,
        retry: true,
        run: async (execution: ExecutionPort) => payloadAt(execution, at),
        contentOf: (envelope) => envelope?.payload.blockHash ?? 'none',
      })
      if (found !== null) cache.set(found.payload.blockHash, found)
      return found
    },
    messagePasserStorageRoot: overRpc.messagePasserStorageRoot,
  }
}

/** The consensus client of a machine. */
export function openRollup(host: Host, machine: string): RollupApi {
  const { world } = host
  if (world.realRpc) return createRollupClient(host.rpc(urlOf(machine, PORTS.rollup)))
  const call = <T>(what: string, run: (api: RollupApi) => Promise<T>, contentOf: (answer: T) => string): Promise<T> =>
    world.ports.call(host, `${machine}:${PORTS.rollup}`, { what, run, contentOf, timeoutMs: READ_TIMEOUT_MS, retry: true })
  return {
    syncStatus: () =>
      call(
        'syncStatus',
        (api) => api.syncStatus(),
        ({ unsafeL2, safeL2, currentL1 }) => `${unsafeL2.hash} ${safeL2.hash} ${currentL1.hash}`,
      ),
    outputAtBlock: (at) =>
      call(
        `outputAtBlock ${at}`,
        (api) => api.outputAtBlock(at),
        ({ outputRoot }) => outputRoot,
      ),
  }
}

const encoded = new WeakMap<object, PayloadEnvelope>()

function payloadAt({ chain }: ExecutionPort, at: L2BlockLabel | number | Hash): PayloadEnvelope | null {
  const hash = typeof at === 'number' ? chain.canonicalHash(at) : at.startsWith('0x') ? (at as Hash) : chain.label(at as L2BlockLabel).hash
  const block = hash === null ? null : chain.block(hash)
  if (block === null) return null
  const envelope = encoded.get(block) ?? blockToPayload(block, block.header.requestsHash !== null)
  encoded.set(block, envelope)
  return envelope
}
