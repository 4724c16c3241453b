/** Applications for the developer tier, as they wait for the operator, and who makes room for another: nobody fills the list from one network. */
import type { Address } from '@keelson/primitives'
import { customerOf } from '@keelson/runtime'

export interface Application {
  readonly address: Address
  readonly contact: string
  readonly project: string
  readonly atMs: number
  /** The network it came from: an IPv4 address or the /64 of an IPv6 address. */
  readonly subscriber: string
  /** The operator has had it on a list: it is not dropped for a newer one. */
  readonly seen: boolean
}

export const MAX_APPLICATIONS = 1_000
export const APPLICATIONS_PER_SUBSCRIBER = 3
export const APPLICATION_LIFE_MS = 30 * 86_400_000

/** Of one that a clock that was wrong has dated: far off in either direction is over. */
export function isExpired({ atMs }: Pick<Application, 'atMs'>, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) >= APPLICATION_LIFE_MS
}

/**
 * Addresses whose applications are dropped to make room for the newcomer. `network-full`: the operator has seen all of its
 * own network's. `full`: the list is full, and no wider network (IPv4 /24, IPv6 /48), counted with the newcomer, has more
 * than one and one of them not seen.
 */
export function makeRoom(
  waiting: Iterable<Application>,
  newcomer: Pick<Application, 'address' | 'subscriber'>,
  nowMs: number,
): readonly Address[] | 'network-full' | 'full' {
  const expired: Address[] = []
  const bySubscriber = new Map<string, Application[]>()
  const byCustomer = new Map<string, Application[]>()
  const file = (map: Map<string, Application[]>, name: string, application: Application) =>
    map.set(name, [...(map.get(name) ?? []), application])
  let count = 0
  for (const application of waiting) {
    // replaced, not added to
    if (application.address === newcomer.address) continue
    if (isExpired(application, nowMs)) {
      expired.push(application.address)
      continue
    }
    count++
    file(bySubscriber, application.subscriber, application)
    file(byCustomer, customerOf(application.subscriber), application)
  }
  const own = bySubscriber.get(newcomer.subscriber) ?? []
  if (own.length >= APPLICATIONS_PER_SUBSCRIBER) {
    const oldest = oldestUnseen(own)
    return oldest === null ? 'network-full' : [...expired, oldest]
  }
  if (count < MAX_APPLICATIONS) return expired
  // the newcomer counts as one of its network: among equals that network loses one, but no neighbour makes room for
  // it while another network has more
  const ownCustomer = customerOf(newcomer.subscriber)
  const sizeOf = ([name, { length }]: readonly [string, readonly Application[]]) => (name === ownCustomer ? length + 1 : length)
  const crowded = [...byCustomer]
    .filter((network) => sizeOf(network) > 1)
    .sort((a, b) => sizeOf(b) - sizeOf(a) || Number(b[0] === ownCustomer) - Number(a[0] === ownCustomer))
  for (const [, network] of crowded) {
    const oldest = oldestUnseen(network)
    if (oldest !== null) return [...expired, oldest]
  }
  return 'full'
}

function oldestUnseen(applications: readonly Application[]): Address | null {
  const [oldest] = applications.filter(({ seen }) => !seen).sort((a, b) => a.atMs - b.atMs)
  return oldest?.address ?? null
}
