/** Takes snapshots of the network. It only reads, between events, so that a run with snapshots is the run without. */
import type { BlockId } from '@keelson/primitives'
import { type FaultMark, type Head, type Heads, type MachineFrame, RECORDING_LIMITS, type ViolationMark } from '@keelson/web/recording'
import type { SimProcess } from '../core/sim-process.ts'
import type { Fault } from '../faults/fault-kind.ts'
import { faultKind } from '../faults/fault-kinds.ts'
import type { Violation } from '../judges/violation.ts'
import { DEFAULT_LINK } from '../network/simulated-network.ts'
import { JUNK_ROLE } from '../roles/junk-sender.ts'
import type { RollupWorld } from '../roles/rollup-world.ts'
import { BatchCounter } from './batch-counter.ts'
import { Divergence } from './divergence.ts'
import type { Snapshot } from './snapshot.ts'

interface Seen {
  readonly name: string
  readonly roles: string[]
  heads: Heads | null
}

export interface Happenings {
  /** Those that have begun. Both lists grow. */
  readonly faults: readonly Fault[]
  readonly violations: readonly Violation[]
}

export class Camera {
  readonly #world: RollupWorld
  readonly #happenings: Happenings
  readonly #machines: Seen[] = []
  readonly #batches: BatchCounter
  readonly #divergence = new Divergence()
  readonly #faults: FaultMark[] = []
  readonly #violations: ViolationMark[] = []

  constructor(world: RollupWorld, happenings: Happenings) {
    this.#world = world
    this.#happenings = happenings
    this.#batches = new BatchCounter(world.l1, world.rollup.config.batchInbox)
  }

  take(): Snapshot {
    const { simulation, network, users, l1 } = this.#world
    for (const name of this.#world.machines) this.#machine(name)
    const processes = this.#processes()
    this.#lookAtHeads()
    const machines = this.#machines.map((machine) => frameOf(machine, processes, network.hasPower(machine.name)))
    const { hash, header, state } = l1.head
    for (const fault of this.#happenings.faults.slice(this.#faults.length)) this.#faults.push(markOf(fault))
    for (const { atMs, rule, text } of this.#happenings.violations.slice(this.#violations.length)) {
      this.#violations.push({ atMs, rule: shortText(rule), text: shortText(text) })
    }
    return {
      machines: this.#machines.map(({ name, roles }) => ({ name, roles: [...roles] })),
      frame: {
        atMs: Math.round(simulation.nowMs - simulation.startMs),
        machines,
        differing: this.#divergence.look(machines.map(({ heads }) => heads)),
        l1: { ...headOf({ number: header.number, hash }), finalized: l1.finalizedNumber, branch: l1.branch, stalled: l1.stalled },
        cuts: this.#cuts(),
        badLinks: this.#badLinks(),
        counters: { transactions: users.accepted.size, batches: this.#batches.count(), proposals: state.proposals.length },
      },
      faults: this.#faults,
      violations: this.#violations,
    }
  }

  #machine(name: string): Seen {
    const known = this.#machines.find((machine) => machine.name === name)
    if (known !== undefined) return known
    const machine: Seen = { name, roles: [], heads: null }
    this.#machines.push(machine)
    return machine
  }

  /** By name. Roles that are new are added to their machine, except the sender of junk: a machine is well when that has ended. */
  #processes(): ReadonlyMap<string, SimProcess> {
    const processes = new Map<string, SimProcess>()
    for (const process of this.#world.simulation.processes) {
      const [name = '', role = ''] = process.name.split('/')
      if (role === JUNK_ROLE) continue
      const { roles } = this.#machine(name)
      if (!roles.includes(role)) roles.push(role)
      processes.set(process.name, process)
    }
    return processes
  }

  #lookAtHeads(): void {
    for (const { name, running } of this.#world.nodes) {
      const heads = running?.consensus.driver.heads ?? null
      if (heads === null) continue
      this.#machine(name).heads = { unsafe: headOf(heads.unsafe), safe: headOf(heads.safe), finalized: headOf(heads.finalized) }
    }
  }

  #cuts(): Snapshot['frame']['cuts'] {
    const indexOf = (name = '') => this.#machines.indexOf(this.#machine(name))
    return [...this.#world.network.cuts].map((link) => {
      const [from, to] = link.split('>')
      return [indexOf(from), indexOf(to)] as const
    })
  }

  #badLinks(): Snapshot['frame']['badLinks'] {
    const { quality } = this.#world.network
    if (quality === DEFAULT_LINK) return null
    const { loss, duplication, jitterMs } = quality
    if (loss === DEFAULT_LINK.loss && duplication === DEFAULT_LINK.duplication && jitterMs === DEFAULT_LINK.jitterMs) return null
    return { lossPercent: loss * 100, duplicationPercent: duplication * 100, jitterMs }
  }
}

function frameOf({ name, roles, heads }: Seen, processes: ReadonlyMap<string, SimProcess>, power: boolean): MachineFrame {
  const stateOf = (process: SimProcess | undefined) => (process?.alive !== true ? 'dead' : process.frozen ? 'frozen' : 'running')
  return { power, processes: roles.map((role) => stateOf(processes.get(`${name}/${role}`))), heads }
}

function headOf({ number, hash }: BlockId): Head {
  return { number, hash: hash.slice(2, 10) }
}

function markOf(fault: Fault): FaultMark {
  const { atMs, durationMs, kind, victim } = fault
  return { atMs, durationMs, kind, victim, text: shortText(faultKind(kind)?.tell(fault) ?? victim) }
}

function shortText(text: string): string {
  return text.slice(0, RECORDING_LIMITS.text)
}
