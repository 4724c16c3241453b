import type { Hash } from '@keelson/primitives'
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace'

/**
 * IDs made from a block hash, so that all nodes add to one trace per block and pass no context to each other. The root span is the
 * `build` span of the sequencer.
 */
export interface BlockTraceIds {
  readonly traceId: string
  readonly rootSpanId: string
}

const TRACE_ID_DIGITS = 32
const SPAN_ID_DIGITS = 16

export function traceIdsOf(block: Hash): BlockTraceIds {
  const digits = block.slice(2)
  return { traceId: digits.slice(0, TRACE_ID_DIGITS), rootSpanId: digits.slice(-SPAN_ID_DIGITS) }
}

/** Generates the IDs of `root` for a span without parent, random ones for others. */
export class BlockIdGenerator implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  root: BlockTraceIds | null = null

  generateTraceId(): string {
    return this.root?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.root?.rootSpanId ?? this.#random.generateSpanId()
  }
}
