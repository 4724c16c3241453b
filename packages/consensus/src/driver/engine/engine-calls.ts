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
import type { L2Heads } from '../../blocks/l2-heads.ts'
import { describeBlock } from '../../blocks/l2-heads.ts'
import { ConsensusError, messageOf, severityOf } from '../../errors.ts'
import type { DriverTrace } from './driver-trace.ts'

export type AttributesResult =
  | { readonly kind: 'ok'; readonly forkchoice: ForkchoiceResult }
  | { readonly kind: 'invalid'; readonly reason: string }

/** All throw ConsensusError `consensus/engine-unavailable` (temporary) or `consensus/engine-forkchoice` (reset). */
export interface EngineCalls {
  newPayload(block: L2BlockRef, envelope: PayloadEnvelope): Promise<PayloadStatus>
  forkchoice(target: L2Heads): Promise<PayloadStatus>
  forkchoiceWithAttributes(target: L2Heads, attributes: PayloadAttributes): Promise<AttributesResult>
  /** Returns null when the engine no longer has the build. */
  getPayload(id: PayloadId): Promise<BuiltPayload | null>
}

export function createEngineCalls(engine: EngineApi, trace: DriverTrace): EngineCalls {
  const call = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    try {
      return await request()
    } catch (cause) {
      trace.note(`${what} failed`, { reason: messageOf(cause) })
      throw engineFailure(what, cause)
    }
  }
  const send = async (target: L2Heads, attributes: PayloadAttributes | null): Promise<ForkchoiceResult> => {
    const { unsafe, safe, finalized } = target
    const result = await call(`forkchoice to ${describeBlock(unsafe)}`, () =>
      engine.forkchoiceUpdated({ head: unsafe.hash, safe: safe.hash, finalized: finalized.hash }, attributes),
    )
    trace.note('forkchoiceUpdated', {
      head: unsafe.hash,
      safe: safe.hash,
      finalized: finalized.hash,
      attributesFor: attributes?.timestampSec ?? null,
      status: result.status.status,
    })
    return result
  }
  return {
    async newPayload(block, envelope) {
      const status = await call(`newPayload ${describeBlock(block)}`, () =>
        engine.newPayload(envelope.payload, envelope.parentBeaconBlockRoot),
      )
      trace.note('newPayload', { number: block.number, hash: block.hash, status: status.status })
      return status
    },
    forkchoice: async (target) => (await send(target, null)).status,
    forkchoiceWithAttributes: (target, attributes) => withAttributes(() => send(target, attributes)),
    async getPayload(id) {
      try {
        const built = await engine.getPayload(id)
        trace.note('getPayload', { number: built.payload.blockNumber, hash: built.payload.blockHash })
        return built
      } catch (cause) {
        trace.note('getPayload failed', { reason: messageOf(cause) })
        if (cause instanceof EngineApiError && cause.code === 'engine/unknown-payload') return null
        throw engineFailure(`getPayload ${id}`, cause)
      }
    },
  }
}

/** The engine already has the head, so INVALID here refers to the attributes. */
async function withAttributes(send: () => Promise<ForkchoiceResult>): Promise<AttributesResult> {
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

/** Throws ConsensusError `consensus/engine-syncing` or `consensus/engine-forkchoice` (reset) unless the head is valid. */
export function requireKnownHead(status: PayloadStatus, head: L2BlockRef): void {
  if (status.status === 'VALID') return
  if (status.status !== 'INVALID') throw engineSyncing(head)
  throw new ConsensusError('consensus/engine-forkchoice', 'reset', `the engine rejects the head ${describeBlock(head)}: ${status.reason}`, {
    number: head.number,
    hash: head.hash,
  })
}

export function engineSyncing(block: L2BlockRef): ConsensusError {
  return new ConsensusError(
    'consensus/engine-syncing',
    'reset',
    `the engine lacks the chain below block ${describeBlock(block)}: it lost blocks or is syncing`,
    { number: block.number, hash: block.hash },
  )
}

function engineFailure(what: string, cause: unknown): ConsensusError {
  if (cause instanceof EngineApiError && cause.code === 'engine/invalid-forkchoice') {
    return new ConsensusError('consensus/engine-forkchoice', 'reset', `${what}: ${cause.message}`, {}, { cause })
  }
  return new ConsensusError('consensus/engine-unavailable', severityOf(cause), `${what}: ${messageOf(cause)}`, {}, { cause })
}
