/** specs: protocol/rollup-node.md#l2-output-rpc-method */
import { type RollupConfig, rollupConfigToJson } from '@keelson/chainspec'
import {
  blockIdToJson,
  CodecError,
  type Hash,
  l2Time,
  type OutputAtBlock,
  type OutputBlockSelector,
  outputAtBlockToJson,
  outputRootV0,
  type PayloadEnvelope,
  parseQuantityNumber,
  type RollupApi,
  type SyncStatus,
  syncStatusToJson,
} from '@keelson/primitives'
import { invalidParams, RPC_ERROR_NUMBERS, RpcError, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import type { L2Refs } from '../blocks/l2-refs.ts'
import type { Driver } from '../driver/driver.ts'
import type { L2BlockSource } from '../ports.ts'
import type { SafeHeadStore } from '../store/safe-head-store.ts'

export interface RollupRpcDependencies {
  readonly config: RollupConfig
  readonly driver: Driver
  readonly l2: L2BlockSource
  readonly refs: L2Refs
  readonly safeHeads: SafeHeadStore
  readonly version: string
  /** Whether unsafe blocks come from peers; null then means that none has come yet. */
  readonly listens: boolean
}

const PREFIXES = ['rollup', 'optimism'] as const
const TAGS: Readonly<Record<string, OutputBlockSelector>> = {
  latest: 'unsafe',
  pending: 'unsafe',
  unsafe: 'unsafe',
  safe: 'safe',
  finalized: 'finalized',
  earliest: 0,
}

export function createRollupMethods(deps: RollupRpcDependencies): RpcMethods {
  const api = createRollupApi(deps)
  const handlers: Readonly<Record<string, RpcHandler>> = {
    syncStatus: async () => syncStatusToJson(await api.syncStatus()),
    rollupConfig: () => rollupConfigToJson(deps.config),
    version: () => deps.version,
    heardHead: () => deps.driver.heardHead ?? (deps.listens ? null : (deps.driver.heads?.unsafe.number ?? null)),
    outputAtBlock: async ([at]) => outputAtBlockToJson(await api.outputAtBlock(parseSelector(at))),
    safeHeadAtL1Block: async ([at]) => {
      const number = parseNumber(at, 'the number of an L1 block as a hex quantity such as 0x1a')
      const entry = await deps.safeHeads.atOrBefore(number)
      if (entry === null) throw unavailable(`no safe head is recorded at or before L1 block ${number}`)
      return { l1Block: blockIdToJson(entry.l1), safeHead: blockIdToJson(entry.l2) }
    },
  }
  return Object.fromEntries(PREFIXES.flatMap((prefix) => Object.entries(handlers).map(([name, handler]) => [`${prefix}_${name}`, handler])))
}

/** The API for other roles in this process. Throws RpcError. */
export function createRollupApi(deps: RollupRpcDependencies): RollupApi {
  const status = (): SyncStatus => {
    const current = deps.driver.status()
    if (current === null) throw unavailable('the node is starting: where derivation begins is not known yet')
    return current
  }
  return {
    syncStatus: async () => status(),
    async outputAtBlock(at): Promise<OutputAtBlock> {
      const syncStatus = status()
      const block = selectNumber(at, syncStatus)
      const envelope = await deps.l2.payload(block)
      if (envelope === null) throw unavailable(`block ${block} is not known; the unsafe head is ${syncStatus.unsafeL2.number}`)
      const { payload } = envelope
      const storageRoot = await messagePasserRoot(deps, envelope)
      return {
        outputRoot: outputRootV0(payload.stateRoot, storageRoot, payload.blockHash),
        stateRoot: payload.stateRoot,
        withdrawalStorageRoot: storageRoot,
        block: deps.refs.refOf(envelope),
        syncStatus,
      }
    },
  }
}

/** Returns a number, because the engine's labels may lag behind the reported status. */
function selectNumber(at: OutputBlockSelector, status: SyncStatus): number {
  if (typeof at === 'number') return at
  return { unsafe: status.unsafeL2, safe: status.safeL2, finalized: status.finalizedL2 }[at].number
}

/** From Isthmus the header has the root; before, it is read from state. */
async function messagePasserRoot(deps: RollupRpcDependencies, { payload }: PayloadEnvelope): Promise<Hash> {
  const { withdrawals } = deps.config.forks.blockRules(l2Time(payload.timestampSec))
  if (withdrawals === 'storage-root' && payload.withdrawalsRoot !== null) return payload.withdrawalsRoot
  const root = await deps.l2.messagePasserStorageRoot(payload.blockHash)
  if (root === null) throw unavailable(`the state of block ${payload.blockNumber} is no longer kept, so its output root cannot be computed`)
  return root
}

function parseSelector(value: unknown): OutputBlockSelector {
  const tag = typeof value === 'string' ? TAGS[value] : undefined
  return tag ?? parseNumber(value, `a hex quantity such as 0x1a, or ${Object.keys(TAGS).join(', ')}`)
}

/** Accepts a hex quantity or a plain number. Throws RpcError. */
function parseNumber(value: unknown, expected: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  try {
    return parseQuantityNumber(value, 'block number')
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    const got = value === undefined ? 'nothing' : String(JSON.stringify(value)).slice(0, 80)
    throw invalidParams(`block number: expected ${expected}, got ${got}`)
  }
}

function unavailable(message: string): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.server, message)
}
