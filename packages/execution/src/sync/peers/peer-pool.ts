/** Sends each request to a free peer, and again to another one until a response passes its check. */
import type { Clock, Logger } from '@keelson/primitives'
import { DeadlineError, withDeadline } from '@keelson/runtime'
import type { PeerFault, PeerList, PooledPeer, SyncPeer } from '../ports.ts'
import { PeerRecords } from './peer-records.ts'

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
  readonly faults: Readonly<Record<PeerFault['kind'], number>>
  close(): void
}

export interface PeerPoolDependencies<P extends PooledPeer> {
  readonly peers: PeerList<P>
  readonly clock: Clock
  readonly log: Logger
}

const DEADLINE_MS = 10_000
const INVALID_BENCH_MS = 3_600_000
/** A peer that leaves or joins wakes the waiting requests earlier. */
const LONGEST_WAIT_MS = 60_000

export function createPeerPool<P extends PooledPeer = SyncPeer, K extends string = RequestKind>({
  peers,
  clock,
  log,
}: PeerPoolDependencies<P>): PeerPool<P, K> {
  const records = new PeerRecords<K>(clock)
  const faults = { invalid: 0, silent: 0, useless: 0 }
  const waiters = new Set<() => void>()
  /** Requests that have no peer yet. */
  let leases = 0
  let waitingSinceMs: number | null = null

  const wakeAll = () => {
    for (const wake of [...waiters]) wake()
  }
  const unsubscribe = peers.onChange(wakeAll)

  async function lease(kind: K, signal: AbortSignal): Promise<{ readonly peer: P; end(): void }> {
    leases++
    try {
      for (;;) {
        signal.throwIfAborted()
        const peer = records.pick(peers.list(), kind)
        if (peer !== null) {
          waitingSinceMs = null
          return { peer, end: records.begin(peer.id) }
        }
        if (!peers.list().some(({ id }) => records.isBusy(id))) waitingSinceMs ??= clock.nowMs()
        await waitForChange(kind, signal)
      }
    } finally {
      endLease()
    }
  }

  function endLease(): void {
    leases--
    if (leases === 0) waitingSinceMs = null
  }

  async function waitForChange(kind: K, signal: AbortSignal): Promise<void> {
    const nowMs = clock.nowMs()
    const ends = peers.list().flatMap(({ id }) => records.restUntilMs(id, kind) ?? [])
    const ms = Math.min(LONGEST_WAIT_MS, ...ends.map((untilMs) => untilMs - nowMs))
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

  function blame(peer: P, kind: K, fault: PeerFault): void {
    faults[fault.kind]++
    log.debug('a peer failed a request', { peer: peer.id, request: kind, fault: fault.kind, reason: fault.reason })
    records.rest(peer.id, kind, fault.kind === 'invalid' ? INVALID_BENCH_MS : null)
    peer.penalize(fault)
  }

  async function attempt<R, T>(request: PeerRequest<R, T, P, K>, signal: AbortSignal): Promise<Answer<T> | null> {
    const { kind } = request
    const { peer, end } = await lease(kind, signal)
    const sentMs = clock.monotonicMs()
    try {
      const response = await withDeadline((over) => request.send(peer, over), {
        clock,
        ms: DEADLINE_MS,
        signal,
        what: `request for ${kind}`,
      })
      const answeredMs = clock.monotonicMs()
      records.answered(peer.id, kind)
      const judgement = await request.judge(response)
      if (judgement.kind === 'good') {
        records.succeeded(peer.id, kind, (answeredMs - sentMs) / Math.max(1, judgement.items))
        return { value: judgement.value, regret: (reason) => blame(peer, kind, { kind: 'useless', reason }) }
      }
      blame(peer, kind, judgement)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DeadlineError) {
        blame(peer, kind, { kind: records.leftUnanswered(peer.id, kind) ? 'silent' : 'useless', reason: error.message })
      } else records.rest(peer.id, kind, null)
    } finally {
      end()
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
