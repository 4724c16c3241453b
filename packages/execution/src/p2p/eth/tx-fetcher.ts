/**
 * Requests announced transactions, each from one peer at first. A peer that does not deliver what it announced cannot keep it from
 * being fetched: others are asked, more of them at a time with each failure, and a peer that never answers rests and loses its place.
 */
import { setMaxListeners } from 'node:events'
import { type Clock, type Hash, keccak256Hash } from '@keelson/primitives'
import { backoffMs, DeadlineError, withDeadline } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'
import { SILENCES_ALLOWED } from '../../sync/peers/peer-records.ts'
import type { TxPool } from '../../txpool/tx-pool.ts'
import { P2pError } from '../p2p-error.ts'
import { ETH_CODES, hashesToRlp } from './eth-messages.ts'
import type { EthPeer } from './eth-peer.ts'
import { type Announced, decodeTransactions, MAX_ANNOUNCED } from './tx-messages.ts'

const HASHES_PER_REQUEST = 256
const REQUEST_MS = 5_000
const REST = { firstMs: 2_000, longestMs: 120_000 }
/** A peer is not asked again so soon for what it announced and did not deliver. */
const MISSED_MS = 60_000
/** Clients count the size of an encoding with or without its RLP header. */
const SIZE_TOLERANCE = 8

export interface FetchingPeer {
  readonly eth: EthPeer
  readonly wanted: Map<Hash, Announced>
  busy: boolean
  receive(encoded: readonly Uint8Array[]): void
}

interface Conduct {
  /** Requests without any answer, in a row. */
  silences: number
  restUntilMs: number
  /** When the peer last failed to deliver a transaction. */
  readonly missedMs: LRUCache<Hash, number>
}

type OnSilent = (peer: FetchingPeer, reason: string) => void

export class TxFetcher {
  readonly #pool: Pick<TxPool, 'find'>
  readonly #clock: Clock
  readonly #onSilent: OnSilent
  readonly #peers = new Map<FetchingPeer, Conduct>()
  readonly #inFlight = new Map<Hash, number>()
  readonly #failures = new LRUCache<Hash, number>({ max: MAX_ANNOUNCED })
  readonly #stopping = new AbortController()

  constructor(
    pool: Pick<TxPool, 'find'>,
    clock: Clock,
    onSilent: OnSilent = ({ eth }, reason) => void eth.session.disconnect('uselessPeer', reason),
  ) {
    this.#pool = pool
    this.#clock = clock
    this.#onSilent = onSilent
    // Each resting peer listens.
    setMaxListeners(0, this.#stopping.signal)
  }

  join(peer: FetchingPeer): void {
    this.#peers.set(peer, { silences: 0, restUntilMs: 0, missedMs: new LRUCache({ max: MAX_ANNOUNCED }) })
  }

  leave(peer: FetchingPeer): void {
    this.#peers.delete(peer)
  }

  stop(): void {
    this.#stopping.abort()
  }

  announced(peer: FetchingPeer, announced: readonly Announced[]): void {
    for (const one of announced) if (peer.wanted.size < MAX_ANNOUNCED) peer.wanted.set(one.hash, one)
    this.#fetch(peer)
  }

  #fetch(peer: FetchingPeer): void {
    const conduct = this.#peers.get(peer)
    if (peer.busy || conduct === undefined || conduct.restUntilMs > this.#clock.nowMs()) return
    const chosen = this.#choose(peer, conduct)
    if (chosen.length === 0) return
    peer.busy = true
    for (const { hash } of chosen) this.#inFlight.set(hash, (this.#inFlight.get(hash) ?? 0) + 1)
    this.#request(peer, chosen)
      .then((delivered) => this.#answered(conduct, chosen, delivered))
      .catch((error: unknown) => this.#failed(peer, conduct, chosen, error))
      .finally(() => {
        for (const { hash } of chosen) this.#landed(hash)
        peer.busy = false
        this.#fetchFromAll()
      })
  }

  /** Peers that answer come first. */
  #fetchFromAll(): void {
    const byConduct = [...this.#peers].sort(([, one], [, other]) => one.silences - other.silences)
    for (const [peer] of byConduct) this.#fetch(peer)
  }

  #landed(hash: Hash): void {
    const left = (this.#inFlight.get(hash) ?? 1) - 1
    if (left === 0) this.#inFlight.delete(hash)
    else this.#inFlight.set(hash, left)
  }

  #choose(peer: FetchingPeer, { missedMs }: Conduct): readonly Announced[] {
    const recentMs = this.#clock.nowMs() - MISSED_MS
    const chosen: Announced[] = []
    for (const one of peer.wanted.values()) {
      if ((this.#inFlight.get(one.hash) ?? 0) > (this.#failures.get(one.hash) ?? 0)) continue
      peer.wanted.delete(one.hash)
      if (this.#pool.find(one.hash) !== null || (missedMs.get(one.hash) ?? Number.NEGATIVE_INFINITY) > recentMs) continue
      if (chosen.push(one) === HASHES_PER_REQUEST) break
    }
    return chosen
  }

  async #request(peer: FetchingPeer, chosen: readonly Announced[]): Promise<ReadonlySet<Hash>> {
    const hashes = hashesToRlp(chosen.map(({ hash }) => hash))
    const send = (signal: AbortSignal) =>
      peer.eth.requests.request(ETH_CODES.getPooledTransactions, ETH_CODES.pooledTransactions, [hashes], signal)
    const [list] = await withDeadline(send, { clock: this.#clock, ms: REQUEST_MS, what: 'a request for transactions' })
    const encoded = decodeTransactions(list)
    const delivered = assertAnnounced(encoded, chosen)
    peer.receive(encoded)
    return delivered
  }

  #answered(conduct: Conduct, chosen: readonly Announced[], delivered: ReadonlySet<Hash>): void {
    conduct.silences = 0
    this.#missed(
      conduct,
      chosen.filter(({ hash }) => !delivered.has(hash)),
    )
  }

  #failed(peer: FetchingPeer, conduct: Conduct, chosen: readonly Announced[], error: unknown): void {
    this.#missed(conduct, chosen)
    if (error instanceof P2pError && error.code === 'p2p/message') void peer.eth.session.disconnect('protocolBreach', error.message)
    if (!(error instanceof DeadlineError)) return
    const restMs = backoffMs(REST, conduct.silences++)
    conduct.restUntilMs = this.#clock.nowMs() + restMs
    if (conduct.silences > SILENCES_ALLOWED) this.#onSilent(peer, `${conduct.silences} requests for transactions in a row got no answer`)
    const wake = () => this.#fetch(peer)
    this.#clock.sleep(restMs, this.#stopping.signal).then(wake, () => undefined)
  }

  #missed({ missedMs }: Conduct, missing: readonly Announced[]): void {
    for (const { hash } of missing) {
      missedMs.set(hash, this.#clock.nowMs())
      this.#failures.set(hash, (this.#failures.get(hash) ?? 0) + 1)
    }
  }
}

/** Returns the hashes of the transactions. */
function assertAnnounced(encoded: readonly Uint8Array[], chosen: readonly Announced[]): ReadonlySet<Hash> {
  const asked = new Map(chosen.map((one) => [one.hash, one]))
  const delivered = new Set<Hash>()
  for (const raw of encoded) {
    const hash = keccak256Hash(raw)
    const announced = asked.get(hash)
    const type = (raw[0] as number) >= 0xc0 ? 0 : (raw[0] as number)
    if (announced === undefined) throw new P2pError('p2p/message', 'a transaction that was not requested')
    if (announced.type !== type || Math.abs(announced.size - raw.length) > SIZE_TOLERANCE)
      throw new P2pError(
        'p2p/message',
        `transaction of type ${type} and ${raw.length} bytes, announced as type ${announced.type} and ${announced.size} bytes`,
      )
    delivered.add(hash)
  }
  return delivered
}
