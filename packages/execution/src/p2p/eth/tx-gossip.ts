/** Sends executable transactions of the pool to peers, and brings those of peers into the pool. */
import { type Clock, type Hash, keccak256Hash, type Random, TX_BLOB, TX_DEPOSIT, TX_POST_EXEC } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'
import { LRUCache } from 'lru-cache'
import type { Unsubscribe } from '../../emitter.ts'
import type { PooledTransaction } from '../../txpool/pool-types.ts'
import type { TxPool } from '../../txpool/tx-pool.ts'
import { decodeIdentified } from '../requests/identified.ts'
import type { ResponseItems } from './block-server.ts'
import { decodeHashes, ETH_CODES, envelopeToRlp } from './eth-messages.ts'
import type { EthPeer, TransactionExchange } from './eth-peer.ts'
import { type FetchingPeer, TxFetcher } from './tx-fetcher.ts'
import { TxImport } from './tx-import.ts'
import { decodeAnnouncement, decodeTransactions, encodeAnnouncement, encodeTransactions, MAX_ANNOUNCED } from './tx-messages.ts'

/** Larger transactions are only announced. */
const MAX_SENT_BYTES = 4_096
const BYTES_PER_MESSAGE = 128 * 1024
const MAX_ANNOUNCED_BYTES = 128 * 1024
const KNOWN_HASHES = 4_096
const MAX_UNSENT = 64

export interface TxGossipDependencies {
  readonly pool: TxPool
  readonly clock: Clock
  readonly random: Random
  /** Called for a peer that has not answered several requests for transactions in a row. */
  onSilent(eth: EthPeer, reason: string): void
}

interface GossipPeer extends FetchingPeer {
  /** What the peer has or was sent. */
  readonly known: LRUCache<Hash, true>
  /** Messages that the connection has not taken. */
  unsent: number
}

/** Blob transactions are not taken on L2; the others are made by L1 and by sequencers only. */
const UNSENT_TYPES: ReadonlySet<number> = new Set([TX_BLOB, TX_POST_EXEC, TX_DEPOSIT])

export class TxGossip {
  readonly #deps: TxGossipDependencies
  readonly #fetcher: TxFetcher
  readonly #peers = new Set<GossipPeer>()
  #fresh: PooledTransaction[] = []
  readonly #unsubscribe: Unsubscribe

  constructor(deps: TxGossipDependencies) {
    this.#deps = deps
    this.#fetcher = new TxFetcher(deps.pool, deps.clock, ({ eth }, reason) => deps.onSilent(eth, reason))
    this.#unsubscribe = deps.pool.onExecutable((pooled) => this.#onExecutable(pooled))
  }

  stop(): void {
    this.#unsubscribe()
    this.#fetcher.stop()
  }

  /** Messages of the peer are received from now on; it is sent transactions after its status. */
  attach(eth: EthPeer): TransactionExchange {
    const { pool, clock } = this.#deps
    const onBreach = (detail: string) => void eth.session.disconnect('protocolBreach', detail)
    const imports = new TxImport({ pool, clock, onBreach })
    const known = new LRUCache<Hash, true>({ max: KNOWN_HASHES })
    const receive = (encoded: readonly Uint8Array[]) => {
      for (const raw of encoded) known.set(keccak256Hash(raw), true)
      imports.add(encoded)
    }
    const peer: GossipPeer = { eth, known, wanted: new Map(), busy: false, unsent: 0, receive }
    this.#peers.add(peer)
    this.#fetcher.join(peer)
    void eth.session.closed.then(() => {
      this.#peers.delete(peer)
      this.#fetcher.leave(peer)
      imports.stop()
    })
    return {
      agreed: () => this.#announce(peer, this.#executable()),
      receive: (code, payload) => {
        if (code === ETH_CODES.transactions) receive(decodeTransactions(payload))
        else if (code === ETH_CODES.newPooledTransactionHashes) this.#onAnnouncement(peer, payload)
        else this.#serve(peer, payload)
      },
    }
  }

  #onAnnouncement(peer: GossipPeer, payload: Uint8Array): void {
    const announced = decodeAnnouncement(payload)
    for (const { hash } of announced) peer.known.set(hash, true)
    const wanted = announced.filter(
      ({ hash, type, size }) => !UNSENT_TYPES.has(type) && size <= MAX_ANNOUNCED_BYTES && this.#deps.pool.find(hash) === null,
    )
    this.#fetcher.announced(peer, wanted)
  }

  #serve(peer: GossipPeer, payload: Uint8Array): void {
    const { id, fields } = decodeIdentified(payload)
    peer.eth.answer(ETH_CODES.pooledTransactions, id, this.#pooled(peer, decodeHashes(fields[0])))
  }

  *#pooled(peer: GossipPeer, hashes: readonly Hash[]): ResponseItems {
    for (const hash of hashes) {
      const pooled = this.#deps.pool.find(hash)
      const isPublic = pooled !== null && pooled.conditional === undefined
      if (isPublic) peer.known.set(hash, true)
      yield isPublic ? envelopeToRlp(pooled.tx.raw) : null
    }
  }

  #executable(): readonly PooledTransaction[] {
    return this.#deps.pool
      .senders()
      .flatMap(({ pending }) => pending)
      .slice(0, MAX_ANNOUNCED)
  }

  #onExecutable(pooled: PooledTransaction): void {
    if (this.#peers.size === 0) return
    this.#fresh.push(pooled)
    if (this.#fresh.length === 1) void nextTurn().then(() => this.#flush())
  }

  /** Whole transactions go to the square root of the peers, hashes to the others. */
  #flush(): void {
    const fresh = this.#fresh
    this.#fresh = []
    const peers = [...this.#peers].filter(({ eth }) => eth.status !== null)
    const without = peers.filter(({ known }) => fresh.some(({ hash }) => !known.has(hash)))
    const direct = Math.ceil(Math.sqrt(without.length))
    const first = Math.floor(this.#deps.random.next() * without.length)
    without.forEach((peer, i) => {
      const sends = (i - first + without.length) % without.length < direct
      const isSent = ({ tx }: PooledTransaction) => sends && tx.raw.length <= MAX_SENT_BYTES
      this.#send(peer, fresh.filter(isSent))
      this.#announce(
        peer,
        fresh.filter((pooled) => !isSent(pooled)),
      )
    })
  }

  #send(peer: GossipPeer, pooled: readonly PooledTransaction[]): void {
    let part: Uint8Array[] = []
    let bytes = 0
    const write = () => {
      if (part.length > 0) this.#write(peer, ETH_CODES.transactions, encodeTransactions(part))
      part = []
      bytes = 0
    }
    for (const { tx } of takeNew(peer, pooled)) {
      part.push(tx.raw)
      bytes += tx.raw.length
      if (bytes >= BYTES_PER_MESSAGE) write()
    }
    write()
  }

  #announce(peer: GossipPeer, pooled: readonly PooledTransaction[]): void {
    const fresh = takeNew(peer, pooled)
    for (let at = 0; at < fresh.length; at += MAX_ANNOUNCED) {
      const part = fresh.slice(at, at + MAX_ANNOUNCED).map(({ hash, tx }) => ({ hash, type: tx.type, size: tx.raw.length }))
      this.#write(peer, ETH_CODES.newPooledTransactionHashes, encodeAnnouncement(part))
    }
  }

  /** A peer that reads too slowly misses announcements, so that nothing piles up for it. */
  #write(peer: GossipPeer, code: number, payload: Uint8Array): void {
    if (peer.unsent >= MAX_UNSENT) return
    peer.unsent++
    peer.eth
      .send(code, payload)
      .catch(() => undefined)
      .finally(() => {
        peer.unsent--
      })
  }
}

/** For a node that neither sends nor takes transactions. */
export function withoutTransactions(eth: EthPeer): TransactionExchange {
  return {
    agreed: () => undefined,
    receive(code, payload) {
      if (code === ETH_CODES.getPooledTransactions) eth.answer(ETH_CODES.pooledTransactions, decodeIdentified(payload).id, [])
    },
  }
}

/** Conditional transactions are private. */
function takeNew({ known }: GossipPeer, pooled: readonly PooledTransaction[]): readonly PooledTransaction[] {
  const fresh = pooled.filter(({ hash, conditional }) => conditional === undefined && !known.has(hash))
  for (const { hash } of fresh) known.set(hash, true)
  return fresh
}
