import type { RollupConfig } from '@keelson/chainspec'
import type { JwtSecret, Listener } from '@keelson/runtime'
import type { EtcdAddress } from '../etcd/etcd-options.ts'
import type { NewerForkTimes } from '../fork-times/fork-times-file.ts'
import type { DiskUse } from '../role/disk-check.ts'
import type { Result } from './finding.ts'
import type { HardwareMinimum } from './hardware-minimum.ts'
import type { Probe } from './probe.ts'

export interface PortUse {
  readonly purpose: string
  readonly option: string
  readonly host: string
  readonly port: number
}

export interface DoctorSettings {
  readonly network: string
  /** Whether a development network is looked at, whose L1 starts with it. */
  readonly isDevnet: boolean
  readonly allowSameChainId: boolean
  readonly dataDirs: readonly string[]
  readonly l1Rpc: readonly string[]
  readonly l1Beacon: readonly string[]
  readonly engineUrl: string
  /** If false, an engine that does not answer is no failure. */
  readonly engineGiven: boolean
  readonly jwtSecret: string | null
  readonly ports: readonly PortUse[]
  readonly httpRpc: string
  readonly rollupRpc: string
  readonly health: readonly string[]
  readonly peers: readonly string[]
  /** Folder or URL of the superchain registry; null uses this release's copy. */
  readonly registry: string | null
  /** The store of conductors; null if it is not etcd. */
  readonly etcd: EtcdAddress | null
  /** The network's clock minus the machine's. */
  readonly clockOffsetMs: number
  readonly minFreeBytes: number
  readonly minimum: HardwareMinimum
}

export interface Machine {
  nowMs(): number
  readonly nodeVersion: string
  readonly processors: number
  /** The container's, if it has a limit. */
  readonly memoryBytes: number
  /** Null where it is unknown. */
  openFileLimit(): Promise<number | null>
  disk(folder: string): Promise<DiskUse>
  /** Milliseconds that synced writes took, each. */
  syncTimesMs(folder: string): Promise<readonly number[]>
  listener(host: string, port: number): Promise<Listener | null>
  /** Null if the file is not locked or the holder is unknown. */
  lockHolder(file: string): Promise<Listener | null>
  dialPeer(host: string, port: number): Promise<string | null>
  loadNativeModules(): Promise<void>
}

export interface DoctorContext {
  readonly settings: DoctorSettings
  readonly machine: Machine
  readonly probe: Probe
  /** With newer fork times of a data directory. Null if rollup.json is invalid, which another check reports. */
  readonly rollup: RollupConfig | null
  readonly newer: NewerForkTimes | null
  /** L1 URLs that answer and are on the right chain. */
  l1: readonly string[]
  engineSilent: boolean
  otherNetwork: boolean
  secret: JwtSecret | null
}

export interface DoctorCheck {
  readonly name: string
  /** Whether a node that has just started may fail it without a fault. */
  settles?(settings: DoctorSettings): boolean
  run(context: DoctorContext): Promise<Result | readonly Result[]>
}
