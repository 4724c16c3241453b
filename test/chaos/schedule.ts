/** Each round kills every role once, with pauses, stops and L1 reorgs between the kills. */
import type { Random } from '@keelson/primitives'
import type { RoleName } from '../support/role-probes.ts'

export type Disturbance =
  | { readonly kind: 'kill' | 'stop'; readonly role: RoleName }
  | { readonly kind: 'pause'; readonly role: RoleName; readonly forMs: number }
  | { readonly kind: 'l1-reorg'; readonly depth: number }

export interface Scheduled {
  readonly atMs: number
  readonly what: Disturbance
}

const ROUNDS_IN_30_MINUTES = 11
const MIN_ROUNDS = 2
const AT_ONCE = 1 / 6
const PAUSE_MS = [1_000, 8_000] as const
/** Blocks below this depth are finalized. */
const MAX_REORG_DEPTH = 8

export function roundsIn(minutes: number): number {
  return Math.max(MIN_ROUNDS, Math.round((minutes * ROUNDS_IN_30_MINUTES) / 30))
}

export function makeSchedule(random: Random, minutes: number, roles: readonly RoleName[]): readonly Scheduled[] {
  const between = (low: number, high: number) => low + random.next() * (high - low)
  const anyRole = () => roles[Math.floor(random.next() * roles.length)] as RoleName
  const round = (): readonly Disturbance[] =>
    shuffled(random, [
      ...roles.map((role): Disturbance => ({ kind: 'kill', role })),
      { kind: 'stop', role: anyRole() },
      { kind: 'pause', role: anyRole(), forMs: Math.round(between(...PAUSE_MS)) },
      { kind: 'l1-reorg', depth: 1 + Math.floor(random.next() * MAX_REORG_DEPTH) },
    ])
  const all = Array.from({ length: roundsIn(minutes) }, round).flat()
  const gaps = all.map(() => (random.next() < AT_ONCE ? between(0, 0.08) : between(0.5, 1.5)))
  const scaleMs = (minutes * 60_000) / gaps.reduce((sum, gap) => sum + gap, 0)
  let atMs = 0
  return all.map((what, i) => {
    atMs += (gaps[i] as number) * scaleMs
    return { atMs: Math.round(atMs), what }
  })
}

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(random.next() * left.length), 1)[0] as T)
}

export function describe(what: Disturbance): string {
  switch (what.kind) {
    case 'l1-reorg':
      return `L1 replaces its last ${what.depth} blocks`
    case 'pause':
      return `${what.role} is suspended for ${(what.forMs / 1000).toFixed(1)} s`
    default:
      return `${what.kind} ${what.role}`
  }
}
