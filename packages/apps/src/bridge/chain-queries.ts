import type { Clock, Hash, Logger } from '@keelson/primitives'
import type { BridgeSenders } from './deposit-facts.ts'
import { createEstimator, type Estimator } from './estimate.ts'
import { lookUpOnL1 } from './l1-lookup.ts'
import { refreshFromL2 } from './l2-refresh.ts'
import type { BridgeL1, BridgeL2, L2Snapshot } from './ports.ts'
import { stateOfRecord, type TransactionRecord } from './record.ts'
import type { RecordStore } from './record-store.ts'
import type { StatusMetrics } from './status-metrics.ts'
import type { Upstream } from './upstream.ts'

export interface ChainQueriesDependencies {
  readonly l1: BridgeL1
  readonly l2: BridgeL2
  readonly upstreams: { readonly l1: Upstream; readonly l2: Upstream }
  readonly senders: BridgeSenders
  readonly records: RecordStore
  readonly metrics: StatusMetrics
  readonly clock: Clock
  readonly log: Logger
}

/** Each query returns false if the chain did not respond. */
export class ChainQueries {
  readonly #deps: ChainQueriesDependencies
  readonly #estimator: Estimator
  #snapshot: L2Snapshot | null = null

  constructor(deps: ChainQueriesDependencies) {
    this.#deps = deps
    this.#estimator = createEstimator(deps.clock.nowMs)
  }

  get snapshot(): L2Snapshot | null {
    return this.#snapshot
  }

  completionMs(record: TransactionRecord, l1BlockTimeSec: number): number | null {
    return this.#estimator.completionMs(record, l1BlockTimeSec)
  }

  askL1(txHash: Hash): Promise<boolean> {
    const { l1, upstreams, records, senders, clock, log } = this.#deps
    return upstreams.l1.ask(() => lookUpOnL1(txHash, { l1, records, senders, nowMs: clock.nowMs, log }))
  }

  askL2(txHashes: readonly Hash[]): Promise<boolean> {
    const { l2, upstreams, records, metrics, clock, log } = this.#deps
    const onSnapshot = (snapshot: L2Snapshot) => {
      this.#snapshot = snapshot
      this.#estimator.note(snapshot)
    }
    return upstreams.l2.ask(async () => {
      const before = txHashes.map((txHash) => isSettled(records.get(txHash)))
      await refreshFromL2(txHashes, { l2, records, log, onSnapshot })
      txHashes.forEach((txHash, i) => {
        const record = records.get(txHash)
        if (record === null || before[i] === true || !isSettled(record)) return
        metrics.settled(stateOfRecord(record), (clock.nowMs() - record.submittedMs) / 1000)
      })
    })
  }
}

function isSettled(record: TransactionRecord | null): boolean {
  return record !== null && ['complete', 'failed'].includes(stateOfRecord(record))
}
