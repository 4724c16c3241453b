/**
 * The only writer of the execution client: every change of a head goes through here, one call at a
 * time, and leaves heads and forkchoice consistent. specs: protocol/derivation.md#engine-queue
 */
import {
  type BuiltPayload,
  type EngineApi,
  EngineApiError,
  type ForkchoiceResult,
  type L2BlockRef,
  type PayloadAttributes,
  type PayloadEnvelope,
  type PayloadId,
  type PayloadStatus,
} from '@keelson/primitives'
import type { L2Refs } from '../blocks/l2-refs.ts'
import { ConsensusError, messageOf, severityOf } from '../errors.ts'
import type { DriverHeads } from './driver-api.ts'
import { assertHeads, describeBlock } from './heads.ts'

export type BuildStart = { readonly kind: 'started'; readonly payloadId: PayloadId } | { readonly kind: 'invalid'; readonly reason: string }
export type Insertion = { readonly kind: 'inserted'; readonly block: L2BlockRef } | { readonly kind: 'invalid'; readonly reason: string }

/**
 * All methods throw ConsensusError `consensus/engine-unavailable` (temporary), `consensus/engine-syncing` or
 * `consensus/engine-forkchoice` (reset: what the engine holds has to be looked at anew), and leave the heads as they were.
 */
export interface EngineControl {
  /** Null before the first `adopt`. */
  readonly heads: DriverHeads | null
  /** Heads as the engine was last told: what others may be told too, since they will ask the engine for these blocks. */
  readonly told: DriverHeads | null
  /** Heads as a reset found them; told to the engine at once. */
  adopt(heads: DriverHeads): Promise<void>
  /** Starts building on `parent`, which becomes the unsafe head when it is not yet. */
  startBuild(parent: L2BlockRef, attributes: PayloadAttributes): Promise<BuildStart>
  /** Null when the engine no longer knows the build. */
  seal(id: PayloadId): Promise<BuiltPayload | null>
  /** Executes a block on the unsafe head and makes it the new one. */
  insertUnsafe(envelope: PayloadEnvelope): Promise<Insertion>
  /** Executes a block derived from L1; it becomes unsafe and pending safe, and safe when it concludes its span. Like `promote`, told later. */
  insertDerived(envelope: PayloadEnvelope, concludesSpan: boolean): Promise<Insertion>
  /** An existing block is what L1 demands; the engine learns of it with the next `flush` or other call. */
  promote(block: L2BlockRef, concludesSpan: boolean): void
  /** Forgets a pending-safe part that will not be concluded. */
  dropPendingSafe(): void
  finalize(block: L2BlockRef): void
  /** Tells the engine of the heads as they are; nothing to do when it knows. */
  flush(): Promise<void>
  /** Changes of the heads that the engine has not been told of. */
  readonly unflushed: number
}

/** `onExecuted` is given each block the engine has found valid. */
export function createEngineControl(
  engine: EngineApi,
  refs: L2Refs,
  onExecuted: (envelope: PayloadEnvelope) => void = () => undefined,
): EngineControl {
  let heads: DriverHeads | null = null
  let told: DriverHeads | null = null
  let unflushed = 0

  const current = (): DriverHeads => {
    if (heads === null) throw new ConsensusError('consensus/heads-inconsistent', 'critical', 'the engine was used before the first reset')
    return heads
  }
  const call = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request()
    } catch (cause) {
      throw engineFailure(what, cause)
    }
  }
  const sendForkchoice = (target: DriverHeads, attributes: PayloadAttributes | null): Promise<ForkchoiceResult> =>
    call(`forkchoice to ${describeBlock(target.unsafe)}`, () =>
      engine.forkchoiceUpdated({ head: target.unsafe.hash, safe: target.safe.hash, finalized: target.finalized.hash }, attributes),
    )
  const apply = async (target: DriverHeads): Promise<void> => {
    assertHeads(target)
    const { status } = await sendForkchoice(target, null)
    requireKnownHead(status, target.unsafe)
    heads = target
    told = target
    unflushed = 0
  }
  const setHeads = (target: DriverHeads): void => {
    assertHeads(target)
    heads = target
    unflushed++
  }
  const execute = async (envelope: PayloadEnvelope): Promise<Insertion> => {
    const block = refs.refOf(envelope)
    const status = await call(`newPayload ${describeBlock(block)}`, () =>
      engine.newPayload(envelope.payload, envelope.parentBeaconBlockRoot),
    )
    if (status.status === 'VALID') {
      onExecuted(envelope)
      return { kind: 'inserted', block }
    }
    if (status.status === 'INVALID') return { kind: 'invalid', reason: status.reason }
    throw syncing(block)
  }

  return {
    get heads() {
      return heads
    },
    get told() {
      return told
    },
    get unflushed() {
      return unflushed
    },
    adopt: apply,
    async startBuild(parent, attributes) {
      const before = current()
      const target = { ...before, unsafe: parent }
      assertHeads(target)
      const result = await sendForkchoiceWithAttributes(() => sendForkchoice(target, attributes))
      if (result.kind === 'invalid') {
        // the engine has moved its head to the parent before it judged the attributes
        if (parent.hash !== before.unsafe.hash) await apply(before)
        return result
      }
      requireKnownHead(result.forkchoice.status, parent)
      heads = target
      told = target
      unflushed = 0
      if (result.forkchoice.payloadId === null) {
        throw new ConsensusError('consensus/engine-unavailable', 'temporary', `the engine began no build on ${describeBlock(parent)}`)
      }
      return { kind: 'started', payloadId: result.forkchoice.payloadId }
    },
    async seal(id) {
      try {
        return await engine.getPayload(id)
      } catch (cause) {
        if (cause instanceof EngineApiError && cause.code === 'engine/unknown-payload') return null
        throw engineFailure(`getPayload ${id}`, cause)
      }
    },
    async insertUnsafe(envelope) {
      const result = await execute(envelope)
      if (result.kind === 'inserted') await apply({ ...current(), unsafe: result.block })
      return result
    },
    async insertDerived(envelope, concludesSpan) {
      const result = await execute(envelope)
      if (result.kind === 'invalid') return result
      const { block } = result
      // the engine hears of it with the build of the next block, or with `flush`: one request fewer for each block
      setHeads({ ...current(), unsafe: block, pendingSafe: block, safe: concludesSpan ? block : current().safe })
      return result
    },
    promote(block, concludesSpan) {
      setHeads({ ...current(), pendingSafe: block, safe: concludesSpan ? block : current().safe })
    },
    dropPendingSafe() {
      heads = { ...current(), pendingSafe: current().safe }
    },
    finalize(block) {
      setHeads({ ...current(), finalized: block })
    },
    async flush() {
      if (unflushed > 0) await apply(current())
    },
  }
}

type AttributesResult =
  | { readonly kind: 'ok'; readonly forkchoice: ForkchoiceResult }
  | { readonly kind: 'invalid'; readonly reason: string }

/** INVALID in answer to attributes on a head the engine holds means the attributes, not the head. */
async function sendForkchoiceWithAttributes(send: () => Promise<ForkchoiceResult>): Promise<AttributesResult> {
  try {
    const forkchoice = await send()
    if (forkchoice.status.status === 'INVALID') return { kind: 'invalid', reason: forkchoice.status.reason }
    return { kind: 'ok', forkchoice }
  } catch (error) {
    const { cause } = error as Error
    if (cause instanceof EngineApiError && cause.code === 'engine/invalid-attributes') return { kind: 'invalid', reason: cause.message }
    throw error
  }
}

function requireKnownHead(status: PayloadStatus, head: L2BlockRef): void {
  if (status.status === 'VALID') return
  if (status.status !== 'INVALID') throw syncing(head)
  throw new ConsensusError(
    'consensus/engine-forkchoice',
    'reset',
    `the engine calls the head ${describeBlock(head)} invalid: ${status.reason}`,
    { number: head.number, hash: head.hash },
  )
}

function syncing(block: L2BlockRef): ConsensusError {
  return new ConsensusError(
    'consensus/engine-syncing',
    'reset',
    `the engine does not know the chain below block ${describeBlock(block)} (any more): it lost blocks, or is syncing`,
    { number: block.number, hash: block.hash },
  )
}

function engineFailure(what: string, cause: unknown): ConsensusError {
  if (cause instanceof EngineApiError && cause.code === 'engine/invalid-forkchoice') {
    return new ConsensusError('consensus/engine-forkchoice', 'reset', `${what}: ${cause.message}`, {}, { cause })
  }
  return new ConsensusError('consensus/engine-unavailable', severityOf(cause), `${what}: ${messageOf(cause)}`, {}, { cause })
}
