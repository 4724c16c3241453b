/** Counts L1 calls by method, because providers bill them. */
import type { Clock } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'

export interface RequestRate {
  note(method: string): void
  /** Calls in the last hour; during the first hour an extrapolation. */
  perHour(): readonly (readonly [method: string, calls: number])[]
}

const HOUR_MS = 3_600_000
const SLOT_MS = 60_000
const MAX_METHODS = 64

export function createRequestRate(clock: Pick<Clock, 'nowMs'>, metrics?: Metrics): RequestRate {
  const sinceMs = clock.nowMs()
  const slots = new Map<number, Map<string, number>>()
  const methods = new Set<string>()
  const total = metrics?.counter('l1_requests_total', 'Calls sent to L1, batched and repeated ones included, by method', ['method'])

  const dropOld = (nowMs: number) => {
    for (const slot of slots.keys()) {
      if ((slot + 1) * SLOT_MS > nowMs - HOUR_MS) break
      slots.delete(slot)
    }
  }
  const rate: RequestRate = {
    note(asked) {
      const method = methods.has(asked) || methods.size < MAX_METHODS ? asked : 'other'
      methods.add(method)
      total?.inc(1, { method })
      const nowMs = clock.nowMs()
      const slot = Math.floor(nowMs / SLOT_MS)
      let counts = slots.get(slot)
      if (counts === undefined) {
        dropOld(nowMs)
        counts = new Map()
        slots.set(slot, counts)
      }
      counts.set(method, (counts.get(method) ?? 0) + 1)
    },
    perHour() {
      const nowMs = clock.nowMs()
      dropOld(nowMs)
      const spanMs = Math.min(HOUR_MS, Math.max(SLOT_MS, nowMs - sinceMs))
      return [...methods].map((method) => {
        let calls = 0
        for (const counts of slots.values()) calls += counts.get(method) ?? 0
        return [method, Math.round((calls * HOUR_MS) / spanMs)] as const
      })
    },
  }
  metrics?.gauge('l1_requests_per_hour', 'Calls sent to L1 in the last hour, by method', ['method'], () =>
    rate.perHour().map(([method, calls]) => [{ method }, calls] as const),
  )
  return rate
}

export interface L1Demand {
  readonly l1BlockTimeSec: number
  readonly pollIntervalMs: number
  readonly sequencer: boolean
}

/**
 * The safe, finalized and (twice) next block, and each block's header, transactions and receipts. Polls of the head are added
 * below.
 */
const CALLS_PER_BLOCK = 7
const CALLS_PER_BLOCK_OF_SEQUENCER = 2
const SIGNER_CALLS_PER_HOUR = 60

export function estimateRequestsPerHour({ l1BlockTimeSec, pollIntervalMs, sequencer }: L1Demand): number {
  const perBlock = CALLS_PER_BLOCK + (sequencer ? CALLS_PER_BLOCK_OF_SEQUENCER : 0)
  return Math.round(HOUR_MS / pollIntervalMs + (3600 / l1BlockTimeSec) * perBlock + SIGNER_CALLS_PER_HOUR)
}
