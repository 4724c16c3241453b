/** Bans a peer for a low score, and after several bans its IPv4 address or IPv6 /64, because peer ids cost nothing. */
import type { Clock, Logger } from '@keelson/primitives'
import { type IpAddress, networkOf, parseIpAddress, SUBSCRIBER_PREFIX_LENGTHS, showIpNetwork, subscriberOf } from '../http/ip-address.ts'
import type { Metrics } from '../metrics.ts'
import { isLoopback } from './address-scope.ts'
import type { BanList } from './ban-list.ts'
import type { OpenConnection } from './connection-rules.ts'

export interface Banning {
  readonly threshold: number
  readonly durationMs: number
  /** An address is banned when this many of its peers are banned within `durationMs`; 0 disables address bans. */
  readonly addressAfterPeers: number
}

export interface BanningHost {
  connections(): readonly OpenConnection[]
  disconnect(peerId: string): Promise<void>
}

export interface BanCause {
  readonly reason: string
  readonly durationMs: number
}

export interface ScoreBansDependencies {
  readonly host: () => BanningHost | null
  readonly score: (peerId: string) => number
  readonly bans: Pick<BanList, 'ban' | 'findPeer'>
  readonly isExempt: (peerId: string) => boolean
  /** Why a peer's score is low, and how long its ban lasts, if not as long as `Banning` says. */
  readonly causeOf?: (peerId: string) => BanCause | null
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface ScoreBans {
  look(peerId: string): Promise<void>
}

const MAX_ADDRESSES = 4_096

export function createScoreBans(banning: Banning | null, deps: ScoreBansDependencies): ScoreBans {
  const { bans, isExempt, clock, log } = deps
  const bannedPeers = deps.metrics?.counter('p2p_bans_total', 'peers banned for their score')
  const bannedAddresses = deps.metrics?.counter('p2p_address_bans_total', 'addresses banned because several of their peers were')
  const offences = new Map<string, readonly number[]>()

  function countOffence(address: IpAddress, durationMs: number): number {
    const key = subscriberOf(address)
    const nowMs = clock.nowMs()
    const recent = [...(offences.get(key) ?? []).filter((atMs) => nowMs - atMs < durationMs), nowMs]
    offences.delete(key)
    offences.set(key, recent)
    if (offences.size > MAX_ADDRESSES) offences.delete(offences.keys().next().value as string)
    return recent.length
  }

  async function banPeer({ durationMs, threshold }: Banning, peer: string, score: number): Promise<void> {
    const cause = deps.causeOf?.(peer) ?? null
    const lastsMs = cause?.durationMs ?? durationMs
    await bans.ban('peer', peer, clock.nowMs() + lastsMs)
    await deps.host()?.disconnect(peer)
    bannedPeers?.inc()
    const why = cause === null ? {} : { why: cause.reason }
    log.warn('a peer is banned', { peer, ...why, score: Math.round(score), threshold, forMinutes: minutes(lastsMs) })
  }

  /** Never bans loopback or the address of a connected trusted peer. */
  async function banAddress({ durationMs, addressAfterPeers }: Banning, ip: string, others: readonly OpenConnection[]): Promise<void> {
    const address = parseIpAddress(ip)
    if (address === null || addressAfterPeers === 0 || isLoopback(ip)) return
    const neighbours = others.filter((other) => other.ip !== null && isSameSubscriber(other.ip, address))
    const peers = countOffence(address, durationMs)
    if (peers < addressAfterPeers || neighbours.some(({ peerId }) => isExempt(peerId))) return
    const network = showIpNetwork(networkOf(address, SUBSCRIBER_PREFIX_LENGTHS[address.family]))
    const [kind, what] = address.family === 4 ? (['ip', network.split('/')[0] as string] as const) : (['subnet', network] as const)
    await bans.ban(kind, what, clock.nowMs() + durationMs)
    for (const { peerId } of neighbours) await deps.host()?.disconnect(peerId)
    bannedAddresses?.inc()
    log.warn('an address is banned', { address: what, bannedPeers: peers, forMinutes: minutes(durationMs) })
  }

  return {
    async look(peerId) {
      if (banning === null || isExempt(peerId) || bans.findPeer(peerId) !== null) return
      const score = deps.score(peerId)
      if (score >= banning.threshold) return
      const connections = deps.host()?.connections() ?? []
      const ip = connections.find((connection) => connection.peerId === peerId)?.ip ?? null
      await banPeer(banning, peerId, score)
      const others = connections.filter((connection) => connection.peerId !== peerId)
      if (ip !== null) await banAddress(banning, ip, others)
    },
  }
}

function isSameSubscriber(ip: string, address: IpAddress): boolean {
  const other = parseIpAddress(ip)
  return other !== null && subscriberOf(other) === subscriberOf(address)
}

function minutes(durationMs: number): number {
  return Math.round(durationMs / 60_000)
}
