/** Applications for the developer tier. No single network can fill the list. */
import type { Address } from '@keelson/primitives'
import { customerOf } from '@keelson/runtime'

export interface Application {
  readonly address: Address
  readonly contact: string
  readonly project: string
  readonly atMs: number
  readonly subscriber: string
  /** Listed by the operator, so it is not dropped. */
  readonly seen: boolean
}

export const MAX_APPLICATIONS = 1_000
export const APPLICATIONS_PER_SUBSCRIBER = 3
export const APPLICATION_LIFE_MS = 30 * 86_400_000

/** Absolute, because a wrong clock may give a future date. */
export function isExpired({ atMs }: Pick<Application, 'atMs'>, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) >= APPLICATION_LIFE_MS
}

/**
 * Returns the applications to drop. `network-full`: the operator has seen all applications of the newcomer's network. `full`: no
 * network with several applications has an unseen one.
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
  // The largest network loses an application; among equals, the newcomer's.
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
