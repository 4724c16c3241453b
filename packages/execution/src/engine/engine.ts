/** The engine API without transport. Calls that change the chain run one at a time. specs: protocol/exec-engine.md#engine-api */
import {
  type BuiltPayload,
  blockToPayload,
  type EngineApi,
  EngineApiError,
  type ExecutionPayload,
  type ForkchoiceResult,
  type ForkchoiceState,
  type Hash,
  type PayloadAttributes,
  type PayloadId,
  type PayloadStatus,
  ZERO_HASH,
} from '@keelson/primitives'
import type { BlockBuilder } from '../builder/block-builder.ts'
import { checkAttributes } from '../builder/check-attributes.ts'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { ChainMove, ChainStore } from '../chain/chain-store.ts'
import type { StateKeeper } from '../chain/state-keeper.ts'
import type { ChainRules } from '../chain-rules.ts'
import { ExecutionError } from '../errors.ts'
import { createExclusive } from '../exclusive.ts'
import type { BlockImporter, ImportVerdict } from '../import/block-import.ts'
import { coverBody, coverPayload } from '../import/covered-block.ts'
import type { ExportedBlock } from '../import/decode-export.ts'

export interface EngineDependencies {
  readonly chain: ChainStore
  readonly rules: ChainRules
  readonly importer: BlockImporter
  readonly builder: BlockBuilder
  readonly keeper: StateKeeper
  /** Syncs every change of the head to disk, not only that to a block built here. */
  readonly syncWrites: boolean
  /** Called after the write, before the engine call returns. */
  onMove(move: ChainMove): void
}

export type ExportVerdict = ImportVerdict | { readonly kind: 'unsupported-fork'; readonly reason: string }

export interface Engine extends EngineApi {
  /** newPayload with a requests hash that the payload does not imply (L1 rules). */
  newPayloadWithRequests(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null, requestsHash: Hash | null): Promise<PayloadStatus>
  /** Imports a block of a chain export without moving the head. */
  importExported(exported: ExportedBlock): Promise<ExportVerdict>
  /** Runs a task without concurrent calls. */
  alone<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when no call is running. */
  idle(): Promise<void>
}

/** Maximum queued calls, each of which may hold a block; a consensus client has one or two. */
export const MAX_WAITING_CALLS = 1_024

export function createEngine(deps: EngineDependencies): Engine {
  const { chain, importer, builder, keeper } = deps
  const exclusive = createExclusive()
  let waiting = 0
  const inTurn = async <T>(call: () => Promise<T>): Promise<T> => {
    if (waiting >= MAX_WAITING_CALLS) {
      throw new ExecutionError('execution/busy', `${waiting} engine calls are waiting already; ask again later`, {}, 'temporary')
    }
    waiting++
    try {
      return await exclusive.run(call)
    } finally {
      waiting--
    }
  }

  const labelled = (head: SealedHeader, hash: Hash, what: 'safe' | 'final'): SealedHeader | null => {
    if (hash === ZERO_HASH) return null
    const header = chain.header(hash)
    if (header === null) throw invalidForkchoice(`${what} block not available in database`, hash)
    if (chain.ancestorHash(head, header.number) !== hash) throw invalidForkchoice(`${what} block not in canonical chain`, hash)
    return { hash, header }
  }

  const applyForkchoice = async (state: ForkchoiceState, head: SealedHeader, attributes: PayloadAttributes | null): Promise<void> => {
    const finalized = labelled(head, state.finalized, 'final')
    const safe = labelled(head, state.safe, 'safe')
    if (finalized !== null && safe !== null && finalized.header.number > safe.header.number) {
      throw invalidForkchoice(`final block ${finalized.header.number} is above safe block ${safe.header.number}`, state.finalized)
    }
    const unchanged =
      chain.label('unsafe').hash === state.head &&
      (safe === null || chain.label('safe').hash === safe.hash) &&
      (finalized === null || chain.label('finalized').hash === finalized.hash)
    if (unchanged) return
    // Sync a block built here before it is published, so that after a power failure the sequencer does not build a different one. When the
    // next block has no pool transactions, both are derived from L1 and can be rebuilt identically.
    const deriving = attributes?.noTxPool === true
    const sync = deps.syncWrites || (importer.isOwn(head.hash) && !deriving)
    deps.onMove(await keeper.moveHead(head, () => chain.setForkchoice(state, { sync })))
    keeper.kick()
  }

  const forkchoiceUpdated = async (state: ForkchoiceState, attributes: PayloadAttributes | null): Promise<ForkchoiceResult> => {
    const header = state.head === ZERO_HASH ? null : chain.header(state.head)
    if (header === null) {
      const bad = importer.knownInvalid(state.head)
      if (bad !== null) {
        return { status: { status: 'INVALID', reason: bad.reason, latestValidHash: bad.latestValidHash }, payloadId: null }
      }
      if (state.head === ZERO_HASH) {
        return { status: { status: 'INVALID', latestValidHash: null, reason: 'the head is the zero hash' }, payloadId: null }
      }
      return { status: { status: 'SYNCING' }, payloadId: null }
    }
    const head: SealedHeader = { hash: state.head, header }
    const valid: PayloadStatus = { status: 'VALID', latestValidHash: head.hash }
    if (attributes === null) {
      await applyForkchoice(state, head, null)
      return { status: valid, payloadId: null }
    }
    const { limit = null } = deps.rules
    if (limit?.refuses(attributes.timestampSec)) {
      await applyForkchoice(state, head, null)
      // Not an engine error code: op-node answers those, -38005 among them, with a reset, and derives the same block again
      // and again; any other code is temporary. okx/optimism op-node/rollup/engine/engine_controller.go, startPayload
      throw new ExecutionError('execution/unsupported-fork', `this block cannot be built: ${limit.sentence}`, {}, 'temporary')
    }
    const rules = deps.rules.rulesAt({ number: header.number + 1, timestampSec: attributes.timestampSec })
    const problem = checkAttributes(attributes, header, rules)
    // During derivation, execute the next block while the head is written: it does not depend on the pool.
    const beside = attributes.noTxPool && problem === null && chain.label('unsafe').hash === header.parentHash
    const [moved, early] = await Promise.allSettled([
      applyForkchoice(state, head, attributes),
      beside ? builder.start(head, attributes) : Promise.resolve(null),
    ])
    if (moved.status === 'rejected') throw moved.reason
    if (problem !== null) {
      throw new EngineApiError('engine/invalid-attributes', `Invalid payload attributes: ${problem}`, { head: head.hash })
    }
    if (early.status === 'rejected') throw early.reason
    const started = early.value ?? (await builder.start(head, attributes))
    if (started.kind === 'started') return { status: valid, payloadId: started.id }
    return { status: { status: 'INVALID', latestValidHash: head.hash, reason: started.reason }, payloadId: null }
  }

  const getPayload = async (id: PayloadId): Promise<BuiltPayload> => {
    const sealed = await builder.seal(id)
    if (sealed === null) throw new EngineApiError('engine/unknown-payload', `Unknown payload ${id}`, { payloadId: id })
    importer.offer(sealed.executed)
    const { block } = sealed.executed
    const rules = deps.rules.rulesAt(block.header)
    return { ...blockToPayload(block, rules.withdrawals === 'storage-root'), blockValueWei: sealed.blockValueWei }
  }

  const newPayload = async (payload: ExecutionPayload, beaconRoot: Hash | null, requestsHash?: Hash | null): Promise<PayloadStatus> => {
    // A genesis block from before the merge has fields that payloads lack.
    if (payload.blockHash === chain.genesis.hash) return { status: 'VALID', latestValidHash: payload.blockHash }
    refusePastLimit(deps.rules, payload.timestampSec)
    const rules = deps.rules.rulesAt({ number: payload.blockNumber, timestampSec: payload.timestampSec })
    const coverage = coverPayload(payload, beaconRoot, requestsHash ?? null, rules)
    if (coverage.kind === 'refused') return { status: 'INVALID', latestValidHash: null, reason: coverage.reason }
    return statusOf(await inTurn(() => importer.importBlock(coverage.block)), payload.blockHash)
  }

  const importExported = async ({ block, ommers }: ExportedBlock): Promise<ExportVerdict> => {
    const { limit = null } = deps.rules
    if (limit?.refuses(block.header.timestampSec)) return { kind: 'unsupported-fork', reason: limit.sentence }
    const coverage = coverBody(block, ommers, deps.rules.rulesAt(block.header))
    if (coverage.kind === 'refused') return { kind: 'invalid', reason: coverage.reason, latestValidHash: null }
    return inTurn(() => importer.importBlock(coverage.block))
  }

  return {
    forkchoiceUpdated: (state, attributes) => inTurn(() => forkchoiceUpdated(state, attributes)),
    getPayload,
    newPayload: (payload, beaconRoot) => newPayload(payload, beaconRoot),
    newPayloadWithRequests: newPayload,
    importExported,
    alone: (task) => exclusive.run(() => keeper.pause(task)),
    idle: () => exclusive.idle(),
  }
}

/**
 * Throws EngineApiError `engine/unsupported-fork` for a block under rules this release does not implement: it may well be
 * valid, so no status fits. op-node and kona take the error for a temporary one and ask again. execution-apis: -38005
 */
export function refusePastLimit({ limit = null }: Pick<ChainRules, 'limit'>, timestampSec: number): void {
  if (limit?.refuses(timestampSec)) throw new EngineApiError('engine/unsupported-fork', `Unsupported fork: ${limit.sentence}`)
}

function statusOf(verdict: ImportVerdict, hash: Hash): PayloadStatus {
  switch (verdict.kind) {
    case 'valid':
      return { status: 'VALID', latestValidHash: hash }
    case 'invalid':
      return { status: 'INVALID', latestValidHash: verdict.latestValidHash, reason: verdict.reason }
    case 'unknown-parent':
      return { status: 'SYNCING' }
  }
}

function invalidForkchoice(what: string, hash: Hash): EngineApiError {
  return new EngineApiError('engine/invalid-forkchoice', `Invalid forkchoice state: ${what}`, { hash })
}
