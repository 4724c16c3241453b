/** Swarm testing: each seed has a random subset of the kinds, at random rates, so that rare combinations happen. */
import type { Random } from '@keelson/primitives'
import type { RollupWorld } from '../roles/rollup-world.ts'
import { FAULT_KINDS, type FaultKind } from './fault-kinds.ts'

export interface FaultEvent {
  /** Simulated milliseconds since the start. */
  readonly atMs: number
  readonly kind: string
  readonly story: string
  readonly durationMs: number
}

const MINUTE_MS = 60_000
/** The network starts in peace. */
const FIRST_FAULT_MS = 2 * MINUTE_MS
/** Rates lie between a quarter and four times the kind's own. */
const RATE_EXPONENT = 2

export class FaultSchedule {
  readonly history: FaultEvent[] = []
  readonly #world: RollupWorld
  readonly #untilMs: number
  readonly kinds: readonly { readonly kind: FaultKind; readonly random: Random; readonly rate: number }[]

  /** All faults are over at `untilMs`. `names` chooses the kinds; 'swarm' leaves it to the seed. */
  constructor(world: RollupWorld, names: readonly string[] | 'swarm', untilMs: number) {
    this.#world = world
    this.#untilMs = untilMs
    const swarm = world.simulation.seed.random('swarm')
    const drawn = FAULT_KINDS.map((kind) => ({
      kind,
      random: world.simulation.seed.random(`fault ${kind.name}`),
      chosen: swarm.next() < 0.5,
      rate: 2 ** (RATE_EXPONENT * (2 * swarm.next() - 1)),
    }))
    this.kinds = drawn.filter(({ kind, chosen }) => (names === 'swarm' ? chosen : names.includes(kind.name)))
  }

  start(): void {
    for (const { kind, random, rate } of this.kinds) this.#next(kind, random, rate, FIRST_FAULT_MS)
  }

  #next(kind: FaultKind, random: Random, rate: number, atLeastMs: number): void {
    const { simulation } = this.#world
    const waitMs = (-Math.log(1 - random.next()) * kind.meanMinutes * MINUTE_MS) / rate
    simulation.after(atLeastMs + waitMs, null, `fault ${kind.name}`, () => {
      if (simulation.nowMs >= this.#untilMs) return
      this.#inject(kind, random)
      this.#next(kind, random, rate, 0)
    })
  }

  #inject(kind: FaultKind, random: Random): void {
    const { simulation } = this.#world
    const fault = kind.inject(this.#world, random)
    if (fault === null) return
    const { story, heal } = fault
    const durationMs = Math.min(fault.durationMs, this.#untilMs - simulation.nowMs)
    this.history.push({ atMs: simulation.nowMs - simulation.startMs, kind: kind.name, story, durationMs })
    this.#world.lastFaultMs = Math.max(this.#world.lastFaultMs, simulation.nowMs + durationMs)
    simulation.after(durationMs, null, `end of fault ${kind.name}`, heal)
  }
}
