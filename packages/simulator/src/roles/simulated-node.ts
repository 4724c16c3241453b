/** A machine with an execution client, a consensus client and sometimes a conductor, which are killed and started one by one. */
import type { ConsensusNode } from '@keelson/consensus'
import type { ExecutionNode } from '@keelson/execution'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import type { DiskCopy, SimulatedDisk } from '../disk/simulated-disk.ts'
import type { ConductorRole } from './conductor-role.ts'
import type { ConsensusRole } from './consensus-role.ts'
import type { ExecutionRole } from './execution-role.ts'
import type { Host } from './host.ts'
import { type MayFail, SupervisedRole } from './supervised-role.ts'

export type NodeRole = 'execution' | 'consensus' | 'conductor'

export interface RunningNode {
  readonly execution: ExecutionNode
  readonly consensus: ConsensusNode
}

export interface NodeStarter {
  readonly simulation: Simulation
  host(machine: string, role: string): Host
  execution(host: Host, node: SimulatedNode): Promise<ExecutionRole>
  consensus(host: Host, node: SimulatedNode): Promise<ConsensusRole>
  conductor(host: Host, disk: SimulatedDisk): Promise<ConductorRole>
}

export interface NodeDisks {
  readonly execution: SimulatedDisk
  readonly consensus: SimulatedDisk
  /** Only beside one of several sequencers. */
  readonly conductor?: SimulatedDisk
}

/** All disks of a machine at one time. */
export interface NodeCopy {
  readonly execution: DiskCopy
  readonly consensus: DiskCopy
}

export class SimulatedNode {
  readonly name: string
  /** False for a node that reads L1 alone. */
  readonly gossips: boolean
  readonly disks: NodeDisks
  readonly #execution: SupervisedRole<ExecutionRole>
  readonly #consensus: SupervisedRole<ConsensusRole>
  readonly #conductor: SupervisedRole<ConductorRole> | null
  /** While values on its disks are wrong, no rule holds for this node. */
  damaged = false
  /** Number of the oldest block whose state the node's operator has kept. */
  oldestState = 0
  #earlierResets = 0

  constructor(name: string, gossips: boolean, disks: NodeDisks, starter: NodeStarter) {
    this.name = name
    this.gossips = gossips
    this.disks = disks
    const { simulation } = starter
    this.#execution = new SupervisedRole({
      simulation,
      open: () => starter.host(name, 'execution'),
      start: (host) => starter.execution(host, this),
      mayBreak: () => this.damaged,
    })
    this.#consensus = new SupervisedRole({
      simulation,
      open: () => starter.host(name, 'consensus'),
      start: (host) => starter.consensus(host, this),
      mayBreak: () => this.damaged,
      ended: (role) => {
        this.#earlierResets += role.resets()
        void role.gossip?.stop()
      },
    })
    const { conductor } = disks
    this.#conductor =
      conductor === undefined
        ? null
        : new SupervisedRole({
            simulation,
            open: () => starter.host(name, 'conductor'),
            start: (host) => starter.conductor(host, conductor),
          })
  }

  /** Null unless both run. */
  get running(): RunningNode | null {
    const execution = this.#execution.role
    const consensus = this.#consensus.role
    return execution === null || consensus === null ? null : { execution: execution.node, consensus: consensus.node }
  }

  /** Null unless it runs. */
  get execution(): ExecutionRole | null {
    return this.#execution.role
  }

  /** Whether no process of it uses a disk. */
  get isDown(): boolean {
    return this.roles.every((role) => this.#find(role)?.process == null)
  }

  /** The process that hears gossip. */
  get consensusProcess(): SimProcess | null {
    return this.#consensus.process
  }

  /** Resets of derivation, of all its processes. */
  get resets(): number {
    return this.#earlierResets + (this.#consensus.role?.resets() ?? 0)
  }

  /** Restarts after failures. */
  get restarts(): number {
    return this.#execution.restarts + this.#consensus.restarts + (this.#conductor?.restarts ?? 0)
  }

  copyDisks(): NodeCopy {
    return { execution: this.disks.execution.copy(), consensus: this.disks.consensus.copy() }
  }

  /** Both processes must be dead. The node begins again where it was, as after a reset. */
  restoreDisks({ execution, consensus }: NodeCopy): void {
    this.disks.execution.restore(execution)
    this.disks.consensus.restore(consensus)
    this.damaged = false
    this.#earlierResets++
  }

  /** Requires that all processes are dead. The next start gets new state and keeps none of the old. */
  clearDisks(oldestState: number): void {
    this.disks.execution.restore(new Map())
    this.disks.consensus.restore(new Map())
    this.oldestState = oldestState
    this.#earlierResets++
  }

  get roles(): readonly NodeRole[] {
    return this.#conductor === null ? ['execution', 'consensus'] : ['execution', 'consensus', 'conductor']
  }

  start(): void {
    for (const role of this.roles) this.startRole(role)
  }

  startRole(role: NodeRole): void {
    this.#find(role)?.start()
  }

  killRole(role: NodeRole): void {
    this.#find(role)?.kill()
  }

  stopRole(role: NodeRole): void {
    this.#find(role)?.stop()
  }

  /** Returns the function that lets it run again; null if it does not run. */
  freeze(role: NodeRole): (() => void) | null {
    return this.#find(role)?.freeze() ?? null
  }

  #find(role: NodeRole): SupervisedRole<MayFail> | null {
    if (role === 'conductor') return this.#conductor
    return role === 'execution' ? this.#execution : this.#consensus
  }
}
