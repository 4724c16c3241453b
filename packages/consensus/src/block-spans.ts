/** Ports that record a span for each block they handle. */
import type { DerivedAttributes } from '@keelson/derivation'
import type { BlockId, Clock, EngineApi, ExecutionPayload } from '@keelson/primitives'
import type { DerivedOutcome } from './driver/safe/derived-block.ts'
import type { BlockGossip, BlockSpans } from './ports.ts'

type Now = Pick<Clock, 'nowMs'>
type ApplyDerived = (derived: DerivedAttributes) => Promise<DerivedOutcome>

export const NO_SPANS: BlockSpans = { record: () => undefined }

export function blockOf({ blockNumber, blockHash }: ExecutionPayload): BlockId {
  return { number: blockNumber, hash: blockHash }
}

/** Records `insert`: the execution of a block by the execution client. */
export function withInsertSpans(engine: EngineApi, spans: BlockSpans, clock: Now): EngineApi {
  return {
    forkchoiceUpdated: (state, attributes) => engine.forkchoiceUpdated(state, attributes),
    getPayload: (id) => engine.getPayload(id),
    async newPayload(payload, parentBeaconBlockRoot) {
      const startMs = clock.nowMs()
      const result = await engine.newPayload(payload, parentBeaconBlockRoot)
      spans.record({ step: 'insert', block: blockOf(payload), startMs, endMs: clock.nowMs(), facts: { status: result.status } })
      return result
    },
  }
}

/** Records `publish`: signing and gossiping a block. */
export function withPublishSpans(gossip: Pick<BlockGossip, 'publish'>, spans: BlockSpans, clock: Now): Pick<BlockGossip, 'publish'> {
  return {
    async publish(envelope) {
      const startMs = clock.nowMs()
      await gossip.publish(envelope)
      spans.record({ step: 'publish', block: blockOf(envelope.payload), startMs, endMs: clock.nowMs() })
    },
  }
}

/** Records `derive`: making attributes derived from L1 a block of the chain. */
export function withDeriveSpans(apply: ApplyDerived, spans: BlockSpans, clock: Now): ApplyDerived {
  return async (derived) => {
    const startMs = clock.nowMs()
    const outcome = await apply(derived)
    if ('block' in outcome) {
      const { hash, number } = outcome.block
      const facts = { outcome: outcome.kind, l1Number: derived.derivedFrom.number, l1Hash: derived.derivedFrom.hash }
      spans.record({ step: 'derive', block: { number, hash }, startMs, endMs: clock.nowMs(), facts })
    }
    return outcome
  }
}
