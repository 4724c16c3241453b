/** Swarm testing: each seed has a random subset of the kinds, at random rates, so that rare combinations happen. */
import type { Random } from '@keelson/primitives'
import type { Seed } from '../core/seed.ts'
import { type Fault, type FaultKind, type Machines, MINUTE_MS } from './fault-kind.ts'
import { FAULT_KINDS } from './fault-kinds.ts'

export interface PlanOptions {
  /** Names of kinds; 'swarm' leaves the choice to the seed. */
  readonly kinds: readonly string[] | 'swarm'
  readonly machines: Machines
  /** All faults are over at this time after the start. */
  readonly untilMs: number
  /** Multiplies how often each kind happens. */
  readonly rate: number
}

/** The network starts in peace. */
const FIRST_FAULT_MS = 2 * MINUTE_MS
/** The seed's own rates lie between a quarter and four. */
const RATE_EXPONENT = 2

/** In the order of their times. Each kind draws from a generator of its own, so that a new kind changes no other. */
export function planFaults(seed: Seed, { kinds, machines, untilMs, rate }: PlanOptions): readonly Fault[] {
  const faults: Fault[] = []
  for (const kind of FAULT_KINDS) {
    if (kind.victims(machines).length === 0) continue
    const random = seed.random(`fault ${kind.name}`)
    const isDrawn = random.next() < 0.5
    const own = 2 ** (RATE_EXPONENT * (2 * random.next() - 1))
    if (kinds === 'swarm' ? !isDrawn : !kinds.includes(kind.name)) continue
    const meanMs = (kind.meanMinutes * MINUTE_MS) / (own * rate)
    for (let atMs = next(FIRST_FAULT_MS, meanMs, random); atMs < untilMs; atMs = next(atMs, meanMs, random)) {
      const fault = drawFault(kind, atMs, machines, random)
      faults.push({ ...fault, durationMs: Math.min(fault.durationMs, untilMs - atMs) })
    }
  }
  return faults.sort((a, b) => a.atMs - b.atMs)
}

function next(atMs: number, meanMs: number, random: Random): number {
  return Math.ceil(atMs - Math.log(1 - random.next()) * meanMs)
}

export function drawFault(kind: FaultKind, atMs: number, machines: Machines, random: Random): Fault {
  const victims = kind.victims(machines)
  const victim = victims[Math.floor(random.next() * victims.length)] as string
  return { atMs, kind: kind.name, victim, ...kind.draw(random, victim, machines) }
}
