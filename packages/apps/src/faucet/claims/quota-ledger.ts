/** At time T, a claim made at t counts while t > T - window. */
import type { Address } from '@keelson/primitives'
import { type NetworkLevel, networksOf } from '@keelson/runtime'
import { LONGEST_WINDOW_MS, type Quota, TIER_QUOTAS, type Tier } from '../tiers/tier.ts'
import { countedAtMs } from './claim.ts'

export interface CountedClaim {
  readonly id: number
  readonly address: Address
  readonly subscriber: string
  readonly atMs: number
  readonly noticedMs: number | null
}

export interface Claimant {
  readonly address: Address
  readonly subscriber: string
  readonly tier: Tier
}

/** Unix milliseconds of the next allowed claim; now if already allowed. */
export interface NextClaim {
  readonly address: number
  readonly subscriber: number
  readonly network: number
  readonly budget: number
}

export interface QuotaLedger {
  next(claimant: Claimant, nowMs: number): NextClaim
  nextOf(subscriber: string, nowMs: number): number
  left(address: Address, tier: Tier, nowMs: number): number
  count(claim: CountedClaim, nowMs: number): void
  discount(id: number): void
  /** Also corrects claims dated in the future. */
  prune(nowMs: number): void
  spent(nowMs: number): number
}

export interface QuotaLimits {
  readonly perSubscriber: Quota
  readonly perNetwork: Readonly<Record<NetworkLevel, Quota>>
  readonly budget: Quota
}

export function createQuotaLedger(limits: QuotaLimits): QuotaLedger {
  const byId = new Map<number, CountedClaim & { readonly countedMs: number }>()
  const addresses = new Map<string, number[]>()
  const subscribers = new Map<string, number[]>()
  const networks = new Map<string, number[]>()
  const all: number[] = []

  const timesOf = (times: Map<string, number[]>, key: string) => times.get(key) ?? []
  const placesOf = ({ address, subscriber }: CountedClaim) => [
    [addresses, address] as const,
    [subscribers, subscriber] as const,
    ...networksOf(subscriber).map(({ name }) => [networks, name] as const),
  ]
  const nextOfNetworks = (subscriber: string, nowMs: number) =>
    Math.max(nowMs, ...networksOf(subscriber).map(({ level, name }) => nextAt(timesOf(networks, name), limits.perNetwork[level], nowMs)))

  const drop = (claim: CountedClaim & { readonly countedMs: number }) => {
    byId.delete(claim.id)
    removeTime(all, claim.countedMs)
    for (const [times, key] of placesOf(claim)) {
      const own = timesOf(times, key)
      removeTime(own, claim.countedMs)
      if (own.length === 0) times.delete(key)
    }
  }

  const count = (claim: CountedClaim, nowMs: number) => {
    if (byId.has(claim.id)) return
    const noticedMs = claim.atMs > nowMs && (claim.noticedMs === null || claim.noticedMs > nowMs) ? nowMs : claim.noticedMs
    const countedMs = countedAtMs({ atMs: claim.atMs, noticedMs }, nowMs)
    byId.set(claim.id, { ...claim, noticedMs, countedMs })
    insertTime(all, countedMs)
    for (const [times, key] of placesOf(claim)) {
      const own = timesOf(times, key)
      insertTime(own, countedMs)
      times.set(key, own)
    }
  }

  return {
    next: ({ address, subscriber, tier }, nowMs) => ({
      address: nextAt(timesOf(addresses, address), TIER_QUOTAS[tier], nowMs),
      subscriber: nextAt(timesOf(subscribers, subscriber), limits.perSubscriber, nowMs),
      network: nextOfNetworks(subscriber, nowMs),
      budget: nextAt(all, limits.budget, nowMs),
    }),
    nextOf: (subscriber, nowMs) =>
      Math.max(
        nextAt(timesOf(subscribers, subscriber), limits.perSubscriber, nowMs),
        nextOfNetworks(subscriber, nowMs),
        nextAt(all, limits.budget, nowMs),
      ),
    left(address, tier, nowMs) {
      const { claims, windowMs } = TIER_QUOTAS[tier]
      return Math.max(0, claims - countAfter(timesOf(addresses, address), nowMs - windowMs))
    },
    count,
    discount(id) {
      const claim = byId.get(id)
      if (claim !== undefined) drop(claim)
    },
    prune(nowMs) {
      for (const claim of [...byId.values()]) {
        const isDated = claim.countedMs === countedAtMs(claim, nowMs)
        if (isDated && claim.countedMs > nowMs - LONGEST_WINDOW_MS) continue
        drop(claim)
        if (!isDated) count(claim, nowMs)
      }
    },
    spent: (nowMs) => countAfter(all, nowMs - limits.budget.windowMs),
  }
}

function nextAt(times: readonly number[], { claims, windowMs }: Quota, nowMs: number): number {
  const nthNewest = times[times.length - claims]
  return nthNewest === undefined ? nowMs : Math.max(nowMs, nthNewest + windowMs)
}

function countAfter(times: readonly number[], fromMs: number): number {
  return times.length - firstAfter(times, fromMs)
}

function firstAfter(times: readonly number[], ms: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) > ms) high = middle
    else low = middle + 1
  }
  return low
}

function insertTime(times: number[], ms: number): void {
  times.splice(firstAfter(times, ms), 0, ms)
}

function removeTime(times: number[], ms: number): void {
  const at = firstAfter(times, ms) - 1
  if (times[at] === ms) times.splice(at, 1)
}
