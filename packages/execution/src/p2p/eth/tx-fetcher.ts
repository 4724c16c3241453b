/** Requests announced transactions, each from one peer at a time. */
import { type Clock, type Hash, keccak256Hash } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import type { TxPool } from '../../txpool/tx-pool.ts'
import { P2pError } from '../p2p-error.ts'
import { ETH_CODES, hashesToRlp } from './eth-messages.ts'
import type { EthPeer } from './eth-peer.ts'
import { type Announced, decodeTransactions, MAX_ANNOUNCED } from './tx-messages.ts'

const HASHES_PER_REQUEST = 256
const REQUEST_MS = 5_000
/** Clients count the size of an encoding with or without its RLP header. */
const SIZE_TOLERANCE = 8

export interface FetchingPeer {
  readonly eth: EthPeer
  readonly wanted: Map<Hash, Announced>
  busy: boolean
  receive(encoded: readonly Uint8Array[]): void
}

export class TxFetcher {
  readonly #pool: Pick<TxPool, 'find'>
  readonly #clock: Clock
  readonly #peers = new Set<FetchingPeer>()
  readonly #inFlight = new Set<Hash>()

  constructor(pool: Pick<TxPool, 'find'>, clock: Clock) {
    this.#pool = pool
    this.#clock = clock
  }

  join(peer: FetchingPeer): void {
    this.#peers.add(peer)
  }

  leave(peer: FetchingPeer): void {
    this.#peers.delete(peer)
  }

  announced(peer: FetchingPeer, announced: readonly Announced[]): void {
    for (const one of announced) if (peer.wanted.size < MAX_ANNOUNCED) peer.wanted.set(one.hash, one)
    this.#fetch(peer)
  }

  #fetch(peer: FetchingPeer): void {
    if (peer.busy || !this.#peers.has(peer)) return
    const chosen = this.#choose(peer)
    if (chosen.length === 0) return
    peer.busy = true
    for (const { hash } of chosen) this.#inFlight.add(hash)
    this.#request(peer, chosen)
      .catch((error: unknown) => {
        if (error instanceof P2pError && error.code === 'p2p/message') void peer.eth.session.disconnect('protocolBreach', error.message)
      })
      .finally(() => {
        for (const { hash } of chosen) this.#inFlight.delete(hash)
        peer.busy = false
        for (const other of this.#peers) this.#fetch(other)
      })
  }

  #choose(peer: FetchingPeer): readonly Announced[] {
    const chosen: Announced[] = []
    for (const one of peer.wanted.values()) {
      if (this.#inFlight.has(one.hash)) continue
      peer.wanted.delete(one.hash)
      if (this.#pool.find(one.hash) === null && chosen.push(one) === HASHES_PER_REQUEST) break
    }
    return chosen
  }

  async #request(peer: FetchingPeer, chosen: readonly Announced[]): Promise<void> {
    const hashes = hashesToRlp(chosen.map(({ hash }) => hash))
    const send = (signal: AbortSignal) =>
      peer.eth.requests.request(ETH_CODES.getPooledTransactions, ETH_CODES.pooledTransactions, [hashes], signal)
    const [list] = await withDeadline(send, { clock: this.#clock, ms: REQUEST_MS, what: 'a request for transactions' })
    const encoded = decodeTransactions(list)
    assertAnnounced(encoded, chosen)
    peer.receive(encoded)
  }
}

function assertAnnounced(encoded: readonly Uint8Array[], chosen: readonly Announced[]): void {
  const asked = new Map(chosen.map((one) => [one.hash, one]))
  for (const raw of encoded) {
    const announced = asked.get(keccak256Hash(raw))
    const type = (raw[0] as number) >= 0xc0 ? 0 : (raw[0] as number)
    if (announced === undefined) throw new P2pError('p2p/message', 'a transaction that was not requested')
    if (announced.type !== type || Math.abs(announced.size - raw.length) > SIZE_TOLERANCE)
      throw new P2pError(
        'p2p/message',
        `transaction of type ${type} and ${raw.length} bytes, announced as type ${announced.type} and ${announced.size} bytes`,
      )
  }
}
