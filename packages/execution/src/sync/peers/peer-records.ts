import type { Clock } from '@keelson/primitives'
import { backoffMs } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'

interface PeerRecord<K> {
  inFlight: number
  /** Milliseconds per item, smoothed; 0 until the first response. */
  msPerItem: number
  readonly benched: Map<K, { untilMs: number; failures: number }>
  /** Requests of a kind without any answer, in a row. */
  readonly silences: Map<K, number>
}

/** Requests of one kind in a row that a peer may leave without an answer, as over a link that fails for a while. */
export const SILENCES_ALLOWED = 4

const MAX_IN_FLIGHT = 2
const BENCH = { firstMs: 2_000, longestMs: 120_000 }
const MAX_RECORDS = 1_024
const SMOOTHING = 0.3

/** What is known of each peer: its speed, its open requests, and the kinds of request for which it rests. */
export class PeerRecords<K extends string> {
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #records = new LRUCache<string, PeerRecord<K>>({ max: MAX_RECORDS })

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
  }

  /** The peer to ask next; null when all are busy or rest. A peer without a response yet comes first, so that each one is tried. */
  pick<P extends { readonly id: string }>(peers: readonly P[], kind: K): P | null {
    let best: { readonly peer: P; readonly record: PeerRecord<K> } | null = null
    for (const peer of peers) {
      const record = this.#of(peer.id)
      if (record.inFlight >= MAX_IN_FLIGHT || (record.benched.get(kind)?.untilMs ?? 0) > this.#clock.nowMs()) continue
      if (best === null || isBetter(record, best.record)) best = { peer, record }
    }
    return best?.peer ?? null
  }

  isBusy(id: string): boolean {
    return this.#of(id).inFlight > 0
  }

  /** When the peer's rest ends; null when it does not rest. */
  restUntilMs(id: string, kind: K): number | null {
    const untilMs = this.#of(id).benched.get(kind)?.untilMs ?? 0
    return untilMs > this.#clock.nowMs() ? untilMs : null
  }

  /** Returns the call that ends the request. */
  begin(id: string): () => void {
    const record = this.#of(id)
    record.inFlight++
    return () => void record.inFlight--
  }

  /** Without `ms`, the rest grows with each failure in a row. */
  rest(id: string, kind: K, ms: number | null): void {
    const { benched } = this.#of(id)
    const failures = benched.get(kind)?.failures ?? 0
    benched.set(kind, { untilMs: this.#clock.nowMs() + (ms ?? backoffMs(BENCH, failures)), failures: failures + 1 })
  }

  answered(id: string, kind: K): void {
    this.#of(id).silences.delete(kind)
  }

  /** Returns true when the peer has left too many requests of the kind without an answer; the count then starts again. */
  leftUnanswered(id: string, kind: K): boolean {
    const { silences } = this.#of(id)
    const count = (silences.get(kind) ?? 0) + 1
    const isTooMany = count > SILENCES_ALLOWED
    silences.set(kind, isTooMany ? 0 : count)
    return isTooMany
  }

  succeeded(id: string, kind: K, msPerItem: number): void {
    const record = this.#of(id)
    record.benched.delete(kind)
    record.msPerItem = record.msPerItem === 0 ? msPerItem : record.msPerItem + SMOOTHING * (msPerItem - record.msPerItem)
  }

  #of(id: string): PeerRecord<K> {
    const known = this.#records.get(id)
    if (known !== undefined) return known
    const made: PeerRecord<K> = { inFlight: 0, msPerItem: 0, benched: new Map(), silences: new Map() }
    this.#records.set(id, made)
    return made
  }
}

function isBetter<K>(one: PeerRecord<K>, other: PeerRecord<K>): boolean {
  return one.inFlight === other.inFlight ? one.msPerItem < other.msPerItem : one.inFlight < other.inFlight
}
