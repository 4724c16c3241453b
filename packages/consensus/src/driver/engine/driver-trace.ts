import type { Clock } from '@keelson/primitives'
import type { L1Change } from '../../l1/l1-view.ts'
import type { DriverInput } from '../driver-inputs.ts'

export interface TraceEntry {
  readonly atMs: number
  readonly what: string
  readonly fields: TraceFields
}

export type TraceFields = Readonly<Record<string, string | number | boolean | null>>

export interface DriverTrace {
  note(what: string, fields?: TraceFields): void
  /** Returns the oldest entry first. */
  entries(): readonly TraceEntry[]
}

export function createDriverTrace(clock: Pick<Clock, 'nowMs'>, maxEntries = 512): DriverTrace {
  const ring: TraceEntry[] = []
  let next = 0
  return {
    note(what, fields = {}) {
      ring[next] = { atMs: clock.nowMs(), what, fields }
      next = (next + 1) % maxEntries
    },
    entries: () => [...ring.slice(next), ...ring.slice(0, next)],
  }
}

export function traceInput(trace: DriverTrace, input: DriverInput | L1Change): void {
  trace.note(`input ${input.kind}`, fieldsOf(input))
}

function fieldsOf(input: DriverInput | L1Change): TraceFields {
  switch (input.kind) {
    case 'unsafe-payload': {
      const { blockNumber: number, blockHash: hash, parentHash } = input.envelope.payload
      return { number, hash, parentHash, from: input.from }
    }
    case 'reset':
      return { reason: input.reason }
    case 'l1-reorg': {
      const { number, hash, parentHash } = input.head
      return { number, hash, parentHash, lastCommon: input.lastCommon }
    }
    default: {
      const { number, hash, parentHash } = input.block
      return { number, hash, parentHash }
    }
  }
}
