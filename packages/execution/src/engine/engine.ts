/** Calls that change the chain are serialized. specs: protocol/exec-engine.md#engine-api */
import {
  type Block,
  type BuiltPayload,
  blockToPayload,
  type Clock,
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
import type { KeyValueOp } from '@keelson/runtime'
import type { BlockBuilder } from '../builder/block-builder.ts'
import { checkAttributes } from '../builder/check-attributes.ts'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { ChainMove, ChainStore } from '../chain/chain-store.ts'
import type { StateKeeper } from '../chain/state-keeper.ts'
import type { ChainRules } from '../chain-rules.ts'
import { ExecutionError } from '../errors.ts'
import { createExclusive } from '../exclusive.ts'
import type { BlockImporter, ImportVerdict } from '../import/block-import.ts'
import { type CoveredBlock, coverBody, coverPayload } from '../import/covered-block.ts'
import type { ExportedBlock } from '../import/decode-export.ts'
import type { SyncTargets } from '../sync/sync-targets.ts'

export interface EngineDependencies {
  readonly chain: ChainStore
  readonly rules: ChainRules
  readonly importer: BlockImporter
  readonly builder: BlockBuilder
  readonly keeper: StateKeeper
  readonly clock: Pick<Clock, 'nowMs'>
  /** If false, only a recent head built by this node is synced to disk. */
  readonly syncWrites: boolean
  /** Null without peers to fetch unknown blocks from. */
  readonly targets: Pick<SyncTargets, 'current' | 'want' | 'drop' | 'offer'> | null
  /** True while the chain has no state, because it arrives from peers: blocks can be neither executed nor chosen. */
  downloading(): boolean
  /** Called after the write and before the engine call returns. */
  onMove(move: ChainMove): void
}

export type ExportVerdict = ImportVerdict | { readonly kind: 'unsupported-fork'; readonly reason: string }

export type TargetEnd =
  | { readonly kind: 'applied' }
  | { readonly kind: 'replaced' }
  /** Only the head was applied, because the safe or final block does not fit it. */
  | { readonly kind: 'head-only'; readonly error: EngineApiError }

export interface Engine extends EngineApi {
  /** Under L1 rules `requestsHash` does not follow from the payload. */
  newPayloadWithRequests(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null, requestsHash: Hash | null): Promise<PayloadStatus>
  importExported(exported: ExportedBlock): Promise<ExportVerdict>
  importCovered(block: CoveredBlock): Promise<ExportVerdict>
  /** Moves the head to a stored block while a sync goes on; without effect after it. */
  advance(head: Hash): Promise<void>
  /**
   * Applies the newest forkchoice if it still names `head`, which a sync has executed. Calls of the consensus client that were
   * waiting go first, and may have chosen another head.
   */
  applyTarget(head: Hash): Promise<TargetEnd>
  /** Moves the head to a stored block whose state has arrived from peers; `write` stores both in one batch. */
  adopt(head: Hash, write: (ops: readonly KeyValueOp[]) => Promise<void>): Promise<void>
  alone<T>(task: () => Promise<T>): Promise<T>
  idle(): Promise<void>
}

/** Bounds memory: each queued call may hold a block. A consensus client has only one or two calls open. */
const MAX_WAITING_CALLS = 1_024
/** Older blocks are not gossiped. specs: protocol/rollup-node-p2p.md#block-validation */
const PUBLISHED_SEC = 60

export function createEngine(deps: EngineDependencies): Engine {
  return new SerialEngine(deps)
}

class SerialEngine implements Engine {
  readonly #deps: EngineDependencies
  readonly #exclusive = createExclusive()
  #waiting = 0

  constructor(deps: EngineDependencies) {
    this.#deps = deps
  }

  forkchoiceUpdated(state: ForkchoiceState, attributes: PayloadAttributes | null): Promise<ForkchoiceResult> {
    return this.#inTurn(() => this.#forkchoiceUpdated(state, attributes))
  }

  async getPayload(id: PayloadId): Promise<BuiltPayload> {
    const { builder, importer, rules } = this.#deps
    const sealed = await builder.seal(id)
    if (sealed === null) throw new EngineApiError('engine/unknown-payload', `Unknown payload ${id}`, { payloadId: id })
    importer.offer(sealed.executed)
    const { block } = sealed.executed
    const hasStorageRoot = rules.rulesAt(block.header).withdrawals === 'storage-root'
    return { ...blockToPayload(block, hasStorageRoot), blockValueWei: sealed.blockValueWei }
  }

  newPayload(payload: ExecutionPayload, beaconRoot: Hash | null): Promise<PayloadStatus> {
    return this.newPayloadWithRequests(payload, beaconRoot, null)
  }

  async newPayloadWithRequests(payload: ExecutionPayload, beaconRoot: Hash | null, requestsHash: Hash | null): Promise<PayloadStatus> {
    const { chain, rules } = this.#deps
    // A genesis block from before the merge has fields that payloads lack.
    if (payload.blockHash === chain.genesis.hash) return { status: 'VALID', latestValidHash: payload.blockHash }
    refusePastLimit(rules, payload.timestampSec)
    const blockRules = rules.rulesAt({ number: payload.blockNumber, timestampSec: payload.timestampSec })
    const coverage = coverPayload(payload, beaconRoot, requestsHash, blockRules)
    if (coverage.kind === 'refused') return { status: 'INVALID', latestValidHash: null, reason: coverage.reason }
    const verdict = await this.#inTurn(() => this.#importBlock(coverage.block))
    if (verdict.kind === 'unknown-parent') this.#deps.targets?.offer(coverage.block)
    return statusOf(verdict, payload.blockHash)
  }

  async importExported({ block, ommers }: ExportedBlock): Promise<ExportVerdict> {
    const unsupported = this.#unsupported(block)
    if (unsupported !== null) return unsupported
    const coverage = coverBody(block, ommers, this.#deps.rules.rulesAt(block.header))
    if (coverage.kind === 'refused') return { kind: 'invalid', reason: coverage.reason, latestValidHash: null }
    return this.importCovered(coverage.block)
  }

  async importCovered(covered: CoveredBlock): Promise<ExportVerdict> {
    return this.#unsupported(covered.block) ?? this.#inTurn(() => this.#importBlock(covered))
  }

  advance(head: Hash): Promise<void> {
    return this.#inTurn(async () => {
      const { chain, targets } = this.#deps
      const header = chain.header(head)
      if (header === null || targets === null || targets.current === null) return
      await this.#applyForkchoice({ head, safe: ZERO_HASH, finalized: ZERO_HASH }, { hash: head, header }, null)
    })
  }

  applyTarget(head: Hash): Promise<TargetEnd> {
    return this.#inTurn(async () => {
      const { chain, targets } = this.#deps
      const target = targets?.current ?? null
      const header = chain.header(head)
      if (targets === null || target?.head !== head || header === null) return { kind: 'replaced' }
      let end: TargetEnd = { kind: 'applied' }
      try {
        await this.#applyForkchoice(target, { hash: head, header }, null)
      } catch (error) {
        if (!(error instanceof EngineApiError)) throw error
        end = { kind: 'head-only', error }
        await this.#applyForkchoice({ head, safe: ZERO_HASH, finalized: ZERO_HASH }, { hash: head, header }, null)
      }
      targets.drop()
      return end
    })
  }

  adopt(head: Hash, write: (ops: readonly KeyValueOp[]) => Promise<void>): Promise<void> {
    const { chain, keeper, onMove } = this.#deps
    return this.#inTurn(async () => {
      onMove(await keeper.pause(() => chain.adopt(head, write)))
      keeper.kick()
    })
  }

  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#exclusive.run(() => this.#deps.keeper.pause(task))
  }

  idle(): Promise<void> {
    return this.#exclusive.idle()
  }

  #unsupported({ header }: Block): ExportVerdict | null {
    const { limit = null } = this.#deps.rules
    return limit?.refuses(header.timestampSec) ? { kind: 'unsupported-fork', reason: limit.sentence } : null
  }

  async #inTurn<T>(call: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING_CALLS) {
      throw new ExecutionError('execution/busy', `${this.#waiting} engine calls are waiting already; ask again later`, {}, 'temporary')
    }
    this.#waiting++
    try {
      return await this.#exclusive.run(call)
    } finally {
      this.#waiting--
    }
  }

  async #importBlock(block: CoveredBlock): Promise<ImportVerdict> {
    const { downloading, importer, keeper } = this.#deps
    if (!downloading()) {
      await keeper.relieve()
      return importer.importBlock(block)
    }
    const bad = importer.knownInvalid(block.block.hash)
    return bad === null ? { kind: 'unknown-parent' } : { kind: 'invalid', ...bad }
  }

  async #forkchoiceUpdated(state: ForkchoiceState, attributes: PayloadAttributes | null): Promise<ForkchoiceResult> {
    const header = state.head === ZERO_HASH ? null : this.#deps.chain.header(state.head)
    if (header === null) return { status: this.#statusOfUnknown(state), payloadId: null }
    if (this.#deps.downloading()) return { status: { status: 'SYNCING' }, payloadId: null }
    const head: SealedHeader = { hash: state.head, header }
    if (attributes !== null) return this.#moveAndBuild(state, head, attributes)
    await this.#applyForkchoice(state, head, null)
    this.#deps.targets?.drop()
    return { status: { status: 'VALID', latestValidHash: head.hash }, payloadId: null }
  }

  #statusOfUnknown(state: ForkchoiceState): PayloadStatus {
    const { head } = state
    const bad = this.#deps.importer.knownInvalid(head)
    if (bad !== null) return { status: 'INVALID', reason: bad.reason, latestValidHash: bad.latestValidHash }
    if (head === ZERO_HASH) return { status: 'INVALID', latestValidHash: null, reason: 'the head is the zero hash' }
    this.#deps.targets?.want(state)
    return { status: 'SYNCING' }
  }

  async #moveAndBuild(state: ForkchoiceState, head: SealedHeader, attributes: PayloadAttributes): Promise<ForkchoiceResult> {
    const { chain, builder, rules, targets } = this.#deps
    targets?.drop()
    const { limit = null } = rules
    if (limit?.refuses(attributes.timestampSec)) {
      await this.#applyForkchoice(state, head, null)
      // op-node resets on every engine error code, -38005 included, and derives the same block again; it retries on other codes.
      // (engine_controller.go, startPayload)
      throw new ExecutionError('execution/unsupported-fork', `this block cannot be built: ${limit.sentence}`, {}, 'temporary')
    }
    const { header } = head
    const problem = checkAttributes(attributes, header, rules.rulesAt({ number: header.number + 1, timestampSec: attributes.timestampSec }))
    // During derivation, execute the next block while the head is written; it needs no pool.
    const beside = attributes.noTxPool && problem === null && chain.label('unsafe').hash === header.parentHash
    const [moved, early] = await Promise.allSettled([
      this.#applyForkchoice(state, head, attributes),
      beside ? builder.start(head, attributes) : Promise.resolve(null),
    ])
    if (moved.status === 'rejected') throw moved.reason
    if (problem !== null) {
      throw new EngineApiError('engine/invalid-attributes', `Invalid payload attributes: ${problem}`, { head: head.hash })
    }
    if (early.status === 'rejected') throw early.reason
    const started = early.value ?? (await builder.start(head, attributes))
    if (started.kind === 'started') return { status: { status: 'VALID', latestValidHash: head.hash }, payloadId: started.id }
    return { status: { status: 'INVALID', latestValidHash: head.hash, reason: started.reason }, payloadId: null }
  }

  async #applyForkchoice(state: ForkchoiceState, head: SealedHeader, attributes: PayloadAttributes | null): Promise<void> {
    const { chain, clock, importer, keeper } = this.#deps
    const finalized = this.#labelled(head, state.finalized, 'final')
    const safe = this.#labelled(head, state.safe, 'safe')
    if (finalized !== null && safe !== null && finalized.header.number > safe.header.number) {
      throw invalidForkchoice(`final block ${finalized.header.number} is above safe block ${safe.header.number}`, state.finalized)
    }
    const unchanged =
      chain.label('unsafe').hash === state.head &&
      (safe === null || chain.label('safe').hash === safe.hash) &&
      (finalized === null || chain.label('finalized').hash === finalized.hash)
    if (unchanged) return
    // Sync a block built here before it is published: after a power failure the sequencer must not build a different one. Blocks
    // without pool transactions are derived again, and blocks too old for gossip are not published.
    const deriving = attributes?.noTxPool === true
    const published = importer.isOwn(head.hash) && !deriving && head.header.timestampSec >= clock.nowMs() / 1000 - PUBLISHED_SEC
    const sync = this.#deps.syncWrites || published
    this.#deps.onMove(await keeper.moveHead(head, () => chain.setForkchoice(state, { sync })))
    keeper.kick()
  }

  #labelled(head: SealedHeader, hash: Hash, what: 'safe' | 'final'): SealedHeader | null {
    const { chain } = this.#deps
    if (hash === ZERO_HASH) return null
    const header = chain.header(hash)
    if (header === null) throw invalidForkchoice(`${what} block not available in database`, hash)
    if (chain.ancestorHash(head, header.number) !== hash) throw invalidForkchoice(`${what} block not in canonical chain`, hash)
    return { hash, header }
  }
}

/**
 * Throws EngineApiError `engine/unsupported-fork` (-38005): the block may be valid, so no payload status fits. op-node and kona
 * retry.
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
