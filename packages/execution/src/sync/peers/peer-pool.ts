/** Sends each request to a free peer, and again to another one until a response passes its check. */
import type { Clock, Logger } from '@keelson/primitives'
import { backoffMs, DeadlineError, withDeadline } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'
import type { PeerList, PooledPeer, SyncPeer } from '../ports.ts'

export type RequestKind = 'headers' | 'bodies' | 'receipts'

export type Judgement<T> =
  | { readonly kind: 'good'; readonly value: T; readonly items: number }
  /** The peer lacks the data or is on another chain. */
  | { readonly kind: 'useless'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }

export interface PeerRequest<R, T, P = SyncPeer, K = RequestKind> {
  readonly kind: K
  send(peer: P, signal: AbortSignal): Promise<R>
  /** Must not throw, whatever the response is. */
  judge(response: R): Judgement<T> | Promise<Judgement<T>>
}

export interface Answer<T> {
  readonly value: T
  /** Blames the peer for a useless response when only a later one shows that it was. */
  regret(reason: string): void
}

export interface PeerPool<P = SyncPeer, K = RequestKind> {
  /** Rejects only when `signal` aborts. */
  request<R, T>(request: PeerRequest<R, T, P, K>, signal: AbortSignal): Promise<Answer<T>>
  /** Since when requests wait while no peer can be asked; null otherwise. */
  readonly waitingSinceMs: number | null
  readonly peerCount: number
  /** Faults by kind since the start. */
  readonly faults: { readonly invalid: number; readonly useless: number }
  close(): void
}

export interface PeerPoolDependencies<P extends PooledPeer> {
  readonly peers: PeerList<P>
  readonly clock: Clock
  readonly log: Logger
}

interface PeerRecord<K> {
  inFlight: number
  /** Milliseconds per item, smoothed; 0 until the first response. */
  msPerItem: number
  readonly benched: Map<K, { untilMs: number; failures: number }>
}

const MAX_IN_FLIGHT = 2
const DEADLINE_MS = 10_000
const BENCH = { firstMs: 2_000, longestMs: 120_000 }
const INVALID_BENCH_MS = 3_600_000
const MAX_RECORDS = 1_024
/** A peer that leaves or joins wakes the waiting requests earlier. */
const LONGEST_WAIT_MS = 60_000
const SMOOTHING = 0.3

export function createPeerPool<P extends PooledPeer = SyncPeer, K extends string = RequestKind>({
  peers,
  clock,
  log,
}: PeerPoolDependencies<P>): PeerPool<P, K> {
  const records = new LRUCache<string, PeerRecord<K>>({ max: MAX_RECORDS })
  const faults = { invalid: 0, useless: 0 }
  const waiters = new Set<() => void>()
  let waitingSinceMs: number | null = null

  const wakeAll = () => {
    for (const wake of [...waiters]) wake()
  }
  const unsubscribe = peers.onChange(wakeAll)

  function recordOf(peer: P): PeerRecord<K> {
    const known = records.get(peer.id)
    if (known !== undefined) return known
    const made: PeerRecord<K> = { inFlight: 0, msPerItem: 0, benched: new Map() }
    records.set(peer.id, made)
    return made
  }

  function isBenched(record: PeerRecord<K>, kind: K): boolean {
    return (record.benched.get(kind)?.untilMs ?? 0) > clock.nowMs()
  }

  function pick(kind: K): P | null {
    let best: { peer: P; record: PeerRecord<K> } | null = null
    for (const peer of peers.list()) {
      const record = recordOf(peer)
      if (record.inFlight >= MAX_IN_FLIGHT || isBenched(record, kind)) continue
      if (best === null || isBetter(record, best.record)) best = { peer, record }
    }
    return best?.peer ?? null
  }

  async function lease(kind: K, signal: AbortSignal): Promise<P> {
    for (;;) {
      signal.throwIfAborted()
      const peer = pick(kind)
      if (peer !== null) {
        waitingSinceMs = null
        recordOf(peer).inFlight++
        return peer
      }
      const busy = peers.list().some((one) => recordOf(one).inFlight > 0)
      if (!busy) waitingSinceMs ??= clock.nowMs()
      await waitForChange(kind, signal)
    }
  }

  async function waitForChange(kind: K, signal: AbortSignal): Promise<void> {
    const nowMs = clock.nowMs()
    const ends = peers.list().flatMap((peer) => recordOf(peer).benched.get(kind)?.untilMs ?? [])
    const ms = Math.min(LONGEST_WAIT_MS, ...ends.filter((untilMs) => untilMs > nowMs).map((untilMs) => untilMs - nowMs))
    let wake: () => void = () => undefined
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    waiters.add(wake)
    try {
      await withDeadline(woken, { clock, ms, signal, onTimeout: () => undefined })
    } finally {
      waiters.delete(wake)
    }
  }

  function bench(peer: P, kind: K, ms: number | null): void {
    const { benched } = recordOf(peer)
    const failures = benched.get(kind)?.failures ?? 0
    benched.set(kind, { untilMs: clock.nowMs() + (ms ?? backoffMs(BENCH, failures)), failures: failures + 1 })
  }

  function blame(peer: P, kind: K, fault: { readonly kind: 'invalid' | 'useless'; readonly reason: string }): void {
    faults[fault.kind]++
    log.debug('a peer failed a request', { peer: peer.id, request: kind, fault: fault.kind, reason: fault.reason })
    bench(peer, kind, fault.kind === 'invalid' ? INVALID_BENCH_MS : null)
    peer.penalize(fault)
  }

  async function attempt<R, T>(request: PeerRequest<R, T, P, K>, signal: AbortSignal): Promise<Answer<T> | null> {
    const { kind } = request
    const peer = await lease(kind, signal)
    const record = recordOf(peer)
    const sentMs = clock.monotonicMs()
    try {
      const response = await withDeadline((over) => request.send(peer, over), {
        clock,
        ms: DEADLINE_MS,
        signal,
        what: `request for ${kind}`,
      })
      const answeredMs = clock.monotonicMs()
      const judgement = await request.judge(response)
      if (judgement.kind === 'good') {
        note(record, kind, (answeredMs - sentMs) / Math.max(1, judgement.items))
        return { value: judgement.value, regret: (reason) => blame(peer, kind, { kind: 'useless', reason }) }
      }
      blame(peer, kind, judgement)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DeadlineError) blame(peer, kind, { kind: 'useless', reason: error.message })
      else bench(peer, kind, null)
    } finally {
      record.inFlight--
      wakeAll()
    }
    return null
  }

  return {
    async request(request, signal) {
      for (;;) {
        const done = await attempt(request, signal)
        if (done !== null) return done
      }
    },
    get waitingSinceMs() {
      return waitingSinceMs
    },
    get peerCount() {
      return peers.list().length
    },
    faults,
    close: unsubscribe,
  }
}

/** A peer without an answer yet comes first, so that each one is tried. */
function isBetter<K>(one: PeerRecord<K>, other: PeerRecord<K>): boolean {
  return one.inFlight === other.inFlight ? one.msPerItem < other.msPerItem : one.inFlight < other.inFlight
}

function note<K>(record: PeerRecord<K>, kind: K, msPerItem: number): void {
  record.benched.delete(kind)
  record.msPerItem = record.msPerItem === 0 ? msPerItem : record.msPerItem + SMOOTHING * (msPerItem - record.msPerItem)
}
