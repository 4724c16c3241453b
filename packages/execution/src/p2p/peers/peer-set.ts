/** The places for peers. Each decision is made at the earliest moment at which it can be, before the work it saves. */
import type { Clock } from '@keelson/primitives'
import {
  addressScope,
  type BanList,
  type ConnectionRefusal,
  type ConnectionRules,
  createAddressBuckets,
  createConnectionRules,
  createSubnetBuckets,
  subnetAt,
} from '@keelson/runtime/peers'
import { HalfOpenConnections } from './half-open.ts'
import type { NamedNodes } from './named-nodes.ts'
import { dialledShare, type PeersOptions } from './peers-options.ts'

export type PeerRefusal = ConnectionRefusal | 'self' | 'already-connected' | 'too-many-handshakes' | 'too-many-dialled'
/** `replaced`: by a peer of a subnet that had none. */
export type DropReason = 'banned' | 'removed' | 'replaced'
export type Drop = (reason: DropReason) => Promise<void>

export type Admission<P = Place> =
  | { readonly kind: 'admitted'; readonly place: P }
  | { readonly kind: 'refused'; readonly reason: PeerRefusal }

/** One connection, from its first byte to its end. A dialled node has its place at once, another one when it joins. */
export interface Place {
  /** Counts the connection as a peer; null if it may. `drop` ends it. */
  join(drop: Drop): PeerRefusal | null
  /** May be called more than once. */
  leave(): void
}

export interface InboundPlace extends Place {
  /** Called once the handshake has proven a public key (hex). Null: it may go on. */
  identify(id: string): PeerRefusal | null
}

export interface Peer {
  readonly id: string
  readonly ip: string | null
  readonly direction: 'inbound' | 'outbound'
}

export interface PeerSetDependencies {
  readonly ownId: string
  readonly named: NamedNodes
  readonly bans: Pick<BanList, 'findPeer' | 'findAddress'>
  readonly clock: Clock
  readonly onRefusal: (reason: PeerRefusal, direction: 'inbound' | 'outbound', who: string) => void
  readonly onChange: () => void
}

/** `drop` is null while a node is dialled. */
interface Entry extends Peer {
  drop: Drop | null
}

/** A handshake costs about a millisecond; a peer that lost its connection retries every few seconds. */
const ATTEMPTS_FROM_AN_ADDRESS = { perSec: 0.5, burst: 16 }
const ATTEMPTS_FROM_A_SUBNET = { perSec: 2, burst: 48 }

export class PeerSet {
  readonly #deps: PeerSetDependencies
  readonly #halfOpen = new HalfOpenConnections()
  readonly #entries = new Set<Entry>()
  readonly #rules: ConnectionRules
  readonly #maxDialled: number
  readonly #maxInbound: number
  /** Gives its place to the peer that is being judged. */
  #replaced: Entry | null = null

  constructor(options: PeersOptions, deps: PeerSetDependencies) {
    this.#deps = deps
    this.#maxDialled = dialledShare(options.maxPeers)
    this.#maxInbound = options.maxPeers - this.#maxDialled
    this.#rules = createConnectionRules({
      bans: deps.bans,
      isExempt: deps.named.isExempt,
      networks: options.networks,
      maxInbound: this.#maxInbound,
      maxPerAddress: options.maxPerAddress,
      maxPerSubnet: options.maxPerSubnet,
      connections: () =>
        [...this.#entries].filter((entry) => entry !== this.#replaced).map(({ id, ip, direction }) => ({ peerId: id, ip, direction })),
      attempts: createAddressBuckets(ATTEMPTS_FROM_AN_ADDRESS, deps.clock),
      subnetAttempts: createSubnetBuckets(ATTEMPTS_FROM_A_SUBNET, deps.clock),
    })
  }

  /** For a connection of which nothing has been read yet. `close` is called when it has to give way before it joins. */
  inbound(ip: string, close: () => void): Admission<InboundPlace> {
    const halfOpen = { ip, close }
    const refusal = this.#judgeStranger(ip) ?? (this.#halfOpen.add(halfOpen) ? null : 'too-many-handshakes')
    if (refusal !== null) return this.#refuse(refusal, 'inbound', ip)
    let id = ''
    let entry: Entry | null = null
    const place: InboundPlace = {
      identify: (proven) => {
        id = proven
        const reason = this.#judgeInbound(id, ip)
        if (reason === null) return null
        place.leave()
        return this.#note(reason, 'inbound', ip)
      },
      join: (drop) => {
        if (!this.#halfOpen.remove(halfOpen)) return 'too-many-handshakes'
        const reason = this.#judgeInbound(id, ip)
        if (reason !== null) return this.#note(reason, 'inbound', ip)
        if (this.#isFull() && !this.#deps.named.isExempt(id)) this.#replace(ip)
        entry = { id, ip, direction: 'inbound', drop }
        this.#entries.add(entry)
        this.#deps.onChange()
        return null
      },
      leave: () => {
        this.#halfOpen.remove(halfOpen)
        if (entry !== null) this.#remove(entry)
      },
    }
    return { kind: 'admitted', place }
  }

  outbound(id: string, ip: string | null): Admission {
    const refusal = this.refusesDial(id, ip)
    if (refusal !== null) return this.#refuse(refusal, 'outbound', ip ?? id)
    const entry: Entry = { id, ip, direction: 'outbound', drop: null }
    this.#entries.add(entry)
    const place: Place = {
      join: (drop) => {
        if (this.has(id)) return 'already-connected'
        entry.drop = drop
        this.#deps.onChange()
        return null
      },
      leave: () => this.#remove(entry),
    }
    return { kind: 'admitted', place }
  }

  refusesDial(id: string, ip: string | null): PeerRefusal | null {
    const { ownId, named } = this.#deps
    if (id === ownId) return 'self'
    if (this.has(id)) return 'already-connected'
    const refusal = this.#rules.outbound(id, ip)
    if (refusal !== null || named.isExempt(id)) return refusal
    const dialled = [...this.#entries].filter((entry) => entry.direction === 'outbound' && !named.isExempt(entry.id))
    return dialled.length >= this.#maxDialled ? 'too-many-dialled' : null
  }

  peers(): readonly Peer[] {
    return [...this.#entries].filter(({ drop }) => drop !== null)
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined
  }

  async drop(id: string, reason: DropReason): Promise<void> {
    await this.#find(id)?.drop?.(reason)
  }

  #find(id: string): Entry | undefined {
    return [...this.#entries].find((entry) => entry.id === id && entry.drop !== null)
  }

  #judgeStranger(ip: string): PeerRefusal | null {
    const { named } = this.#deps
    const strangers = [...this.#entries].filter(({ id, direction }) => direction === 'inbound' && !named.isExempt(id))
    const isFull = strangers.length >= this.#maxInbound && this.#replaceableBy(ip) === null
    return isFull && !this.#mayBeExempt() ? 'too-many-inbound' : this.#rules.inbound(ip)
  }

  /** Only an exempt node may come when all places are taken, and nothing says yet who is coming. */
  #mayBeExempt(): boolean {
    for (const id of this.#deps.named.exemptIds()) if (!this.has(id)) return true
    return false
  }

  #judgeInbound(id: string, ip: string): PeerRefusal | null {
    if (id === this.#deps.ownId) return 'self'
    if (this.has(id)) return 'already-connected'
    this.#replaced = this.#isFull() ? this.#replaceableBy(ip) : null
    const refusal = this.#rules.inboundPeer(id, ip)
    this.#replaced = null
    return refusal
  }

  #isFull(): boolean {
    return [...this.#entries].filter(({ direction }) => direction === 'inbound').length >= this.#maxInbound
  }

  /** The newest peer of the most crowded public subnet, for a newcomer from a subnet without peers; else null. */
  #replaceableBy(ip: string): Entry | null {
    const subnets = new Set<string | null>()
    const crowds = new Map<string | null, Entry[]>()
    for (const entry of this.#entries) {
      if (entry.direction === 'outbound' || entry.ip === null || this.#deps.named.isExempt(entry.id)) continue
      const subnet = subnetAt(entry.ip)
      subnets.add(subnet)
      // A private network is usually a single subnet.
      if (addressScope(entry.ip) !== 'public') continue
      crowds.set(subnet, [...(crowds.get(subnet) ?? []), entry])
    }
    if (subnets.has(subnetAt(ip))) return null
    const most = [...crowds.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    return most.length > 1 ? (most.at(-1) as Entry) : null
  }

  #replace(ip: string): void {
    const entry = this.#replaceableBy(ip)
    if (entry === null) return
    this.#entries.delete(entry)
    void entry.drop?.('replaced')
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry) && entry.drop !== null) this.#deps.onChange()
  }

  #note(reason: PeerRefusal, direction: Peer['direction'], who: string): PeerRefusal {
    this.#deps.onRefusal(reason, direction, who)
    return reason
  }

  #refuse(reason: PeerRefusal, direction: Peer['direction'], who: string): { readonly kind: 'refused'; readonly reason: PeerRefusal } {
    return { kind: 'refused', reason: this.#note(reason, direction, who) }
  }
}
