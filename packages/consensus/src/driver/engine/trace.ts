/** The last inputs and actions of the driver, kept in memory for the day on which someone has to find out how it came to this. */
import type { Clock } from '@keelson/primitives'
import type { DriverInput } from '../driver-api.ts'

export interface TraceEntry {
  readonly atMs: number
  readonly what: string
  readonly fields: TraceFields
}

export type TraceFields = Readonly<Record<string, string | number | boolean | null>>

export interface DriverTrace {
  note(what: string, fields?: TraceFields): void
  /** Oldest first. */
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

export function traceInput(trace: DriverTrace, input: DriverInput): void {
  if (input.kind === 'unsafe-payload') {
    const { blockNumber: number, blockHash: hash, parentHash } = input.envelope.payload
    trace.note('input unsafe-payload', { number, hash, parentHash, from: input.from })
  } else if (input.kind === 'reset') {
    trace.note('input reset', { reason: input.reason })
  } else {
    const { number, hash, parentHash } = input.kind === 'l1-reorg' ? input.head : input.block
    const lastCommon = input.kind === 'l1-reorg' ? { lastCommon: input.lastCommon } : {}
    trace.note(`input ${input.kind}`, { number, hash, parentHash, ...lastCommon })
  }
}
