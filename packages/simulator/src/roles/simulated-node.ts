/** A machine with an execution client and a consensus client, which are killed and started one by one. */
import type { ConsensusNode } from '@keelson/consensus'
import type { ExecutionNode } from '@keelson/execution'
import type { SimProcess } from '../core/sim-process.ts'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import type { ConsensusRole } from './consensus-role.ts'
import type { Host } from './host.ts'

export interface RunningNode {
  readonly execution: ExecutionNode
  readonly consensus: ConsensusNode
}

export interface NodeStarter {
  host(machine: string, role: string): Host
  execution(host: Host, disk: SimulatedDisk): Promise<ExecutionNode>
  consensus(host: Host, node: SimulatedNode): Promise<ConsensusRole>
  onFailure(error: unknown): void
}

interface Part<T> {
  readonly process: SimProcess
  /** Null while it starts. */
  role: T | null
}

export class SimulatedNode {
  readonly name: string
  /** False for a node that reads L1 alone. */
  readonly gossips: boolean
  readonly disks: { readonly execution: SimulatedDisk; readonly consensus: SimulatedDisk }
  readonly #starter: NodeStarter
  #execution: Part<ExecutionNode> | null = null
  #consensus: Part<ConsensusRole> | null = null
  #earlierResets = 0

  constructor(name: string, gossips: boolean, disks: SimulatedNode['disks'], starter: NodeStarter) {
    this.name = name
    this.gossips = gossips
    this.disks = disks
    this.#starter = starter
  }

  /** Null unless both run. */
  get running(): RunningNode | null {
    const execution = this.#execution?.role
    const consensus = this.#consensus?.role
    return execution == null || consensus == null ? null : { execution, consensus: consensus.node }
  }

  /** The process that hears gossip. */
  get consensusProcess(): SimProcess | null {
    return this.#consensus?.process ?? null
  }

  /** Resets of derivation, of all its processes. */
  get resets(): number {
    return this.#earlierResets + (this.#consensus?.role?.resets() ?? 0)
  }

  start(): void {
    this.startExecution()
    this.startConsensus()
  }

  startExecution(): void {
    this.#execution ??= this.#begin('execution', (host) => this.#starter.execution(host, this.disks.execution))
  }

  startConsensus(): void {
    this.#consensus ??= this.#begin('consensus', (host) => this.#starter.consensus(host, this))
  }

  killExecution(): void {
    this.#execution?.process.kill()
    this.#execution = null
  }

  killConsensus(): void {
    this.#earlierResets = this.resets
    void this.#consensus?.role?.gossip?.stop()
    this.#consensus?.process.kill()
    this.#consensus = null
  }

  /** Returns the function that lets it run again; null if it does not run. */
  freeze(which: 'execution' | 'consensus'): (() => void) | null {
    const process = (which === 'execution' ? this.#execution : this.#consensus)?.process
    if (process === undefined || process.frozen) return null
    process.freeze()
    return () => process.thaw()
  }

  #begin<T>(role: string, start: (host: Host) => Promise<T>): Part<T> {
    const host = this.#starter.host(this.name, role)
    const part: Part<T> = { process: host.process, role: null }
    host.process.after(0, 'start', () => {
      start(host).then(
        (started) => {
          part.role = started
        },
        (error: unknown) => this.#starter.onFailure(error),
      )
    })
    return part
  }
}
