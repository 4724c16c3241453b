/** What a check may look at: the options as the roles have them, the network's files, and the world through ports. */
import type { RollupConfig } from '@keelson/chainspec'
import type { JwtSecret, Listener } from '@keelson/runtime'
import type { DiskUse } from '../role/disk-check.ts'
import type { Result } from './finding.ts'
import type { Probe } from './probe.ts'

export interface PortUse {
  readonly purpose: string
  readonly option: string
  readonly host: string
  readonly port: number
}

export interface DoctorSettings {
  readonly network: string
  readonly allowSameChainId: boolean
  readonly dataDirs: readonly string[]
  readonly l1Rpc: readonly string[]
  readonly l1Beacon: readonly string[]
  readonly engineUrl: string
  /** Without it, an engine that does not answer is not a fault: it may not have been started yet. */
  readonly engineGiven: boolean
  readonly jwtSecret: string | null
  readonly ports: readonly PortUse[]
  /** Public RPC of the execution client. */
  readonly httpRpc: string
  readonly rollupRpc: string
  /** Base URLs of the metrics and health ports. */
  readonly health: readonly string[]
  readonly peers: readonly string[]
  /** A checkout of the superchain registry, or the URL of its files; null: only this release's copy. */
  readonly registry: string | null
  /** Added to the machine's clock: the time the network lives in. */
  readonly clockOffsetMs: number
  readonly minFreeBytes: number
}

/** The machine, as far as checks ask it. */
export interface Machine {
  nowMs(): number
  readonly nodeVersion: string
  disk(folder: string): Promise<DiskUse>
  /** Null when the port is free. */
  listener(host: string, port: number): Promise<Listener | null>
  /** Who has this file locked; null when nobody, or when it cannot be told. */
  lockHolder(file: string): Promise<Listener | null>
  /** Null when connected and spoken to, else why not. */
  dialPeer(host: string, port: number): Promise<string | null>
  /** Throws when one does not load; says which. */
  loadNativeModules(): Promise<void>
}

export interface DoctorContext {
  readonly settings: DoctorSettings
  readonly machine: Machine
  readonly probe: Probe
  /** Null when rollup.json cannot be used: another check says why. */
  readonly rollup: RollupConfig | null
  /** L1 URLs that answer and are of the right chain: the check that asks first finds them. */
  l1: readonly string[]
  engineSilent: boolean
  /** The nodes on the given ports are of another network: asking them on would diagnose that one. */
  otherNetwork: boolean
  secret: JwtSecret | null
}

export interface DoctorCheck {
  readonly name: string
  run(context: DoctorContext): Promise<Result | readonly Result[]>
}
