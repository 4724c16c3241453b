/** Uses the worst recent lag, because the safe head moves in jumps. */
import type { L2Snapshot } from './ports.ts'
import type { TransactionRecord } from './record.ts'
import { stateOfRecord } from './record.ts'

export interface Estimator {
  note(snapshot: L2Snapshot): void
  completionMs(record: TransactionRecord, l1BlockTimeSec: number): number | null
}

const WINDOW_MS = 300_000
const MAX_SAMPLES = 600

export function createEstimator(nowMs: () => number): Estimator {
  let samples: { readonly atMs: number; readonly originLagMs: number; readonly safeLagMs: number }[] = []
  return {
    note(snapshot) {
      const atMs = nowMs()
      const newest = samples.at(-1)
      const originLagMs =
        snapshot.origin === null
          ? (newest?.originLagMs ?? 0)
          : Math.max(0, (snapshot.unsafe.timestampSec - snapshot.origin.timestampSec) * 1000)
      const safeLagMs = snapshot.safe === null ? (newest?.safeLagMs ?? 0) : Math.max(0, atMs - snapshot.safe.timestampSec * 1000)
      samples = [...samples.filter((sample) => sample.atMs >= atMs - WINDOW_MS).slice(1 - MAX_SAMPLES), { atMs, originLagMs, safeLagMs }]
    },
    completionMs(record, l1BlockTimeSec) {
      const state = stateOfRecord(record)
      if ((state !== 'pending' && state !== 'relaying') || samples.length === 0) return null
      const originLagMs = Math.max(...samples.map((sample) => sample.originLagMs))
      const safeLagMs = Math.max(...samples.map((sample) => sample.safeLagMs))
      const l1Ms = record.block === null ? nowMs() + l1BlockTimeSec * 1000 : record.block.timestampSec * 1000
      const blockMs = l1BlockTimeSec * 1000
      return Math.max(l1Ms + originLagMs + safeLagMs, nowMs() + (state === 'pending' ? blockMs + safeLagMs : blockMs))
    },
  }
}
