import type { Random } from '@keelson/primitives'
import type { Misconduct } from '../l1/l1-provider.ts'
import type { LinkQuality } from '../network/simulated-network.ts'
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { Overlaps } from './overlaps.ts'
import type { FaultParameters, ParameterType } from './parameters.ts'

/** One entry of a schedule. */
export interface Fault {
  /** Simulated milliseconds since the start. */
  readonly atMs: number
  readonly kind: string
  /** A machine, a process (`sequencer/execution`) or `network`. */
  readonly victim: string
  readonly durationMs: number
  readonly parameters: FaultParameters
}

export interface Machines {
  readonly sequencers: readonly string[]
  readonly nodes: readonly string[]
  /** Validators that attest. */
  readonly stakers: readonly string[]
  readonly submitters: readonly string[]
  /** Services beside the rollup. */
  readonly apps: readonly string[]
  /** What several sequencers share; none with one. */
  readonly stores: readonly string[]
  readonly all: readonly string[]
}

/** What lasts, by place. */
export interface Scene {
  readonly world: RollupWorld
  readonly stops: Overlaps<null>
  readonly outages: Overlaps<null>
  readonly cuts: Overlaps<null>
  readonly qualities: Overlaps<LinkQuality>
  readonly slowness: Overlaps<number>
  readonly fullness: Overlaps<null>
  readonly misconduct: Overlaps<Misconduct>
  /** Whether the peer has the key of the sequencer. */
  readonly liars: Overlaps<boolean>
  readonly floods: Overlaps<number>
  /** Milliseconds. */
  readonly skews: Overlaps<number>
  /** Parts per million. */
  readonly drifts: Overlaps<number>
}

export interface FaultKind {
  readonly name: string
  /** Mean time between two faults, before the rates of the seed and of the run. */
  readonly meanMinutes: number
  readonly parameters: Readonly<Record<string, ParameterType>>
  victims(machines: Machines): readonly string[]
  draw(random: Random, victim: string, machines: Machines): Pick<Fault, 'durationMs' | 'parameters'>
  /** For a reader: what happens to whom. */
  tell(fault: Fault): string
  /** Returns the function that ends it; null if it cannot happen now. */
  begin(scene: Scene, fault: Fault): (() => void) | null
}

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000

export function between(random: Random, least: number, most: number): number {
  return Math.round(least + random.next() * (most - least))
}

/** Reads a checked parameter. */
export function numberOf({ parameters }: Fault, name: string): number {
  return parameters[name] as number
}
