/** The places for connections. Each decision is made at the earliest moment at which it can be, before the work it saves. */
import type { Clock } from '@keelson/primitives'
import {
  type BanList,
  type ConnectionRefusal,
  type ConnectionRules,
  createAddressBuckets,
  createConnectionRules,
  createSubnetBuckets,
  type OpenConnection,
} from '@keelson/runtime/peers'
import type { NamedNodes } from './named-nodes.ts'
import { dialledShare, type PeersOptions } from './peers-options.ts'

export type PeerRefusal = ConnectionRefusal | 'self' | 'already-connected' | 'too-many-handshakes' | 'too-many-dialled'
export type DropReason = 'banned' | 'removed'

export type Admission = { readonly kind: 'admitted'; readonly place: Place } | { readonly kind: 'refused'; readonly reason: PeerRefusal }

/** One connection's place, from its first byte to its end. */
export interface Place {
  /** For an inbound connection, once its handshake has proven a public key (hex). Null: it may go on; else the place is free again. */
  identify(id: string): PeerRefusal | null
  /** Counts the connection as a peer. `drop` ends it. */
  join(drop: (reason: DropReason) => Promise<void>): void
  /** May be called more than once. */
  leave(): void
}

export interface Peer {
  readonly id: string
  readonly ip: string | null
  readonly direction: 'inbound' | 'outbound'
}

export interface PeerSet {
  /** For a connection of which nothing has been read yet. */
  inbound(ip: string): Admission
  outbound(id: string, ip: string | null): Admission
  refusesDial(id: string, ip: string | null): PeerRefusal | null
  /** Connections with a completed handshake. */
  peers(): readonly Peer[]
  has(id: string): boolean
  drop(id: string, reason: DropReason): Promise<void>
}

export interface PeerSetDependencies {
  readonly ownId: string
  readonly named: NamedNodes
  readonly bans: Pick<BanList, 'findPeer' | 'findAddress'>
  readonly clock: Clock
  readonly onRefusal: (reason: PeerRefusal, direction: 'inbound' | 'outbound', who: string) => void
  readonly onChange: () => void
}

interface Entry {
  id: string | null
  readonly ip: string | null
  readonly direction: 'inbound' | 'outbound'
  drop: ((reason: DropReason) => Promise<void>) | null
}

/** Inbound connections whose handshake is not complete. */
const MAX_HANDSHAKES = 50
/** A handshake costs about a millisecond; a peer that lost its connection retries every few seconds. */
const ATTEMPTS_FROM_AN_ADDRESS = { perSec: 0.5, burst: 16 }
const ATTEMPTS_FROM_A_SUBNET = { perSec: 2, burst: 48 }

export function createPeerSet(options: PeersOptions, deps: PeerSetDependencies): PeerSet {
  const { ownId, named, clock, onRefusal, onChange } = deps
  const entries = new Set<Entry>()
  const maxDialled = dialledShare(options.maxPeers)
  const maxInbound = options.maxPeers - maxDialled
  let judged: Entry | null = null
  const rules: ConnectionRules = createConnectionRules({
    bans: deps.bans,
    isExempt: named.isExempt,
    networks: options.networks,
    maxInbound,
    maxPerAddress: options.maxPerAddress,
    maxPerSubnet: options.maxPerSubnet,
    connections: () => [...entries].filter((entry) => entry !== judged).map(connectionOf),
    attempts: createAddressBuckets(ATTEMPTS_FROM_AN_ADDRESS, clock),
    subnetAttempts: createSubnetBuckets(ATTEMPTS_FROM_A_SUBNET, clock),
  })

  const isOpen = (entry: Entry) => entry.drop !== null
  const find = (id: string) => [...entries].find((entry) => entry.id === id && isOpen(entry))

  /** Only an exempt node may come when all places are taken, and nothing says yet who is coming. */
  function mayBeExempt(): boolean {
    for (const id of named.exemptIds()) if (find(id) === undefined) return true
    return false
  }

  function judgeInbound(ip: string): PeerRefusal | null {
    const inbound = [...entries].filter(({ direction }) => direction === 'inbound')
    if (inbound.length - inbound.filter(isOpen).length >= MAX_HANDSHAKES) return 'too-many-handshakes'
    const strangers = inbound.filter((entry) => isOpen(entry) && !named.isExempt(entry.id ?? ''))
    if (strangers.length >= maxInbound && !mayBeExempt()) return 'too-many-inbound'
    return rules.inbound(ip)
  }

  function judgeDial(id: string, ip: string | null): PeerRefusal | null {
    if (id === ownId) return 'self'
    if (find(id) !== undefined) return 'already-connected'
    const refusal = rules.outbound(id, ip)
    if (refusal !== null || named.isExempt(id)) return refusal
    const dialled = [...entries].filter((entry) => entry.direction === 'outbound' && !named.isExempt(entry.id ?? ''))
    return dialled.length >= maxDialled ? 'too-many-dialled' : null
  }

  function judgePeer(entry: Entry, id: string): PeerRefusal | null {
    if (id === ownId) return 'self'
    if (find(id) !== undefined) return 'already-connected'
    judged = entry
    const refusal = rules.inboundPeer(id, entry.ip)
    judged = null
    return refusal
  }

  function enter(id: string | null, ip: string | null, direction: Entry['direction']): Admission {
    const entry: Entry = { id, ip, direction, drop: null }
    entries.add(entry)
    return {
      kind: 'admitted',
      place: {
        identify(proven) {
          const refusal = judgePeer(entry, proven)
          if (refusal === null) entry.id = proven
          else {
            entries.delete(entry)
            onRefusal(refusal, direction, ip ?? proven)
          }
          return refusal
        },
        join(drop) {
          if (!entries.has(entry)) return
          entry.drop = drop
          onChange()
        },
        leave() {
          if (entries.delete(entry) && isOpen(entry)) onChange()
        },
      },
    }
  }

  function refuse(reason: PeerRefusal, direction: Entry['direction'], who: string): Admission {
    onRefusal(reason, direction, who)
    return { kind: 'refused', reason }
  }

  return {
    inbound(ip) {
      const refusal = judgeInbound(ip)
      return refusal === null ? enter(null, ip, 'inbound') : refuse(refusal, 'inbound', ip)
    },
    outbound(id, ip) {
      const refusal = judgeDial(id, ip)
      return refusal === null ? enter(id, ip, 'outbound') : refuse(refusal, 'outbound', ip ?? id)
    },
    refusesDial: judgeDial,
    peers: () =>
      [...entries]
        .filter(isOpen)
        .map(connectionOf)
        .map(({ peerId, ip, direction }) => ({ id: peerId, ip, direction })),
    has: (id) => find(id) !== undefined,
    drop: async (id, reason) => find(id)?.drop?.(reason),
  }
}

function connectionOf({ id, ip, direction }: Entry): OpenConnection {
  return { peerId: id ?? '', ip, direction }
}
