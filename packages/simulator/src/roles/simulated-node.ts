/** A machine with an execution client and a consensus client, which are killed and started one by one. */
import type { ConsensusNode } from '@keelson/consensus'
import type { ExecutionNode } from '@keelson/execution'
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import type { DiskCopy, SimulatedDisk } from '../disk/simulated-disk.ts'
import type { ConsensusRole } from './consensus-role.ts'
import type { Host } from './host.ts'
import { SupervisedRole } from './supervised-role.ts'

export interface RunningNode {
  readonly execution: ExecutionNode
  readonly consensus: ConsensusNode
}

export interface NodeStarter {
  readonly simulation: Simulation
  host(machine: string, role: string): Host
  execution(host: Host, disk: SimulatedDisk): Promise<ExecutionNode>
  consensus(host: Host, node: SimulatedNode): Promise<ConsensusRole>
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
  readonly disks: { readonly execution: SimulatedDisk; readonly consensus: SimulatedDisk }
  readonly #execution: SupervisedRole<ExecutionNode>
  readonly #consensus: SupervisedRole<ConsensusRole>
  /** While values on its disks are wrong, no rule holds for this node. */
  damaged = false
  #earlierResets = 0

  constructor(name: string, gossips: boolean, disks: SimulatedNode['disks'], starter: NodeStarter) {
    this.name = name
    this.gossips = gossips
    this.disks = disks
    const { simulation } = starter
    this.#execution = new SupervisedRole({
      simulation,
      open: () => starter.host(name, 'execution'),
      start: (host) => starter.execution(host, disks.execution),
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
  }

  /** Null unless both run. */
  get running(): RunningNode | null {
    const execution = this.#execution.role
    const consensus = this.#consensus.role
    return execution === null || consensus === null ? null : { execution, consensus: consensus.node }
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
    return this.#execution.restarts + this.#consensus.restarts
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

  start(): void {
    this.startExecution()
    this.startConsensus()
  }

  startExecution(): void {
    this.#execution.start()
  }

  startConsensus(): void {
    this.#consensus.start()
  }

  killExecution(): void {
    this.#execution.kill()
  }

  killConsensus(): void {
    this.#consensus.kill()
  }

  /** Returns the function that lets it run again; null if it does not run. */
  freeze(which: 'execution' | 'consensus'): (() => void) | null {
    return (which === 'execution' ? this.#execution : this.#consensus).freeze()
  }
}
