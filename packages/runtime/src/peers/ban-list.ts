import { bigintToBytes, bytesToBigint, type Clock, concatBytes, utf8ToBytes } from '@keelson/primitives'
import {
  type IpNetwork,
  isInNetworks,
  networkOf,
  parseIpAddress,
  parseIpNetwork,
  SUBSCRIBER_PREFIX_LENGTHS,
  showIpNetwork,
} from '../http/ip-address.ts'
import type { KeyValueStore } from '../kv/store.ts'

export type BanKind = 'peer' | 'ip' | 'subnet'

export interface Ban {
  readonly kind: BanKind
  /** A peer id, an address, or a network in CIDR notation. */
  readonly what: string
  /** Null means until the ban is lifted. */
  readonly untilMs: number | null
}

export interface BanList {
  load(): Promise<void>
  /** Returns false if `what` is not valid for `kind`. A second ban replaces the first. */
  ban(kind: BanKind, what: string, untilMs: number | null): Promise<boolean>
  lift(kind: BanKind, what: string): Promise<boolean>
  findPeer(peerId: string): Ban | null
  findAddress(ip: string): Ban | null
  list(kind: BanKind): readonly Ban[]
  forgetExpired(): Promise<void>
}

/** Beyond this limit, the ban that expires first is dropped. */
const MAX_BANS = { peer: 10_000, ip: 10_000, subnet: 10_000 } as const
const KINDS: readonly BanKind[] = ['peer', 'ip', 'subnet']

/** `bucket` is the first byte of the keys in the store. */
export function createBanList(store: KeyValueStore, bucket: number, clock: Pick<Clock, 'nowMs'>): BanList {
  const first = Uint8Array.of(bucket)
  const keyOf = ({ kind, what }: Ban) => concatBytes(first, Uint8Array.of(KINDS.indexOf(kind)), utf8ToBytes(what))
  const bans: Readonly<Record<BanKind, Map<string, Ban>>> = { peer: new Map(), ip: new Map(), subnet: new Map() }
  /** Banned networks except a subscriber's /64, which is found by key. */
  const networks = new Map<string, IpNetwork>()

  function remember(ban: Ban): void {
    bans[ban.kind].set(ban.what, ban)
    const network = ban.kind === 'subnet' ? parseIpNetwork(ban.what) : null
    if (network !== null && !isSubscriber(network)) networks.set(ban.what, network)
  }

  function forget({ kind, what }: Ban): void {
    bans[kind].delete(what)
    if (kind === 'subnet') networks.delete(what)
  }

  const holds = (ban: Ban | undefined): ban is Ban => ban !== undefined && (ban.untilMs === null || ban.untilMs > clock.nowMs())

  return {
    async load() {
      for await (const [key, value] of store.range(first, Uint8Array.of(bucket + 1))) {
        const ban = decode(key, value)
        if (ban !== null) remember(ban)
      }
    },
    async ban(kind, what, untilMs) {
      const name = nameOf(kind, what)
      if (name === null) return false
      const ban: Ban = { kind, what: name, untilMs }
      const all = bans[kind]
      const crowded = all.size >= MAX_BANS[kind] && !all.has(name) ? endingFirst(all.values()) : null
      remember(ban)
      if (crowded !== null) forget(crowded)
      await store.batch([{ put: keyOf(ban), value: encodeTime(untilMs) }, ...(crowded === null ? [] : [{ del: keyOf(crowded) }])])
      return true
    },
    async lift(kind, what) {
      const ban = bans[kind].get(nameOf(kind, what) ?? what)
      if (ban === undefined) return false
      forget(ban)
      await store.batch([{ del: keyOf(ban) }])
      return holds(ban)
    },
    findPeer(peerId) {
      const ban = bans.peer.get(peerId)
      return holds(ban) ? ban : null
    },
    findAddress(ip) {
      const address = parseIpAddress(ip)
      if (address === null) return null
      const ban = bans.ip.get(nameOf('ip', ip) ?? ip)
      if (holds(ban)) return ban
      const own = bans.subnet.get(showIpNetwork(networkOf(address, SUBSCRIBER_PREFIX_LENGTHS[address.family])))
      if (holds(own)) return own
      for (const [name, network] of networks) {
        const wide = bans.subnet.get(name)
        if (holds(wide) && isInNetworks(address, [network])) return wide
      }
      return null
    },
    list: (kind) => [...bans[kind].values()].filter(holds),
    async forgetExpired() {
      const over = KINDS.flatMap((kind) => [...bans[kind].values()].filter((ban) => !holds(ban)))
      for (const ban of over) forget(ban)
      if (over.length > 0) await store.batch(over.map((ban) => ({ del: keyOf(ban) })))
    },
  }
}

function nameOf(kind: BanKind, what: string): string | null {
  if (kind === 'peer') return what
  const network = parseIpNetwork(what)
  if (network === null) return null
  if (kind === 'subnet') return showIpNetwork(network)
  return what.includes('/') ? null : (showIpNetwork(network).split('/')[0] as string)
}

function isSubscriber({ family, prefixLength }: IpNetwork): boolean {
  return prefixLength === SUBSCRIBER_PREFIX_LENGTHS[family]
}

function endingFirst(bans: Iterable<Ban>): Ban | null {
  let first: Ban | null = null
  for (const ban of bans) if (first === null || (ban.untilMs ?? Infinity) < (first.untilMs ?? Infinity)) first = ban
  return first
}

function encodeTime(untilMs: number | null): Uint8Array {
  return bigintToBytes(BigInt(Math.ceil(untilMs ?? 0)), 8)
}

function decode(key: Uint8Array, value: Uint8Array): Ban | null {
  const kind = KINDS[key[1] ?? -1]
  if (kind === undefined || value.length !== 8) return null
  const until = bytesToBigint(value)
  if (until > BigInt(Number.MAX_SAFE_INTEGER)) return null
  const untilMs = Number(until)
  return { kind, what: new TextDecoder().decode(key.subarray(2)), untilMs: untilMs === 0 ? null : untilMs }
}
