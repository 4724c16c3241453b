import type { EvmEngine } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import type { KeyFormats } from '../prepare/key-formats.ts'
import type { NetworkChoice } from '../prepare/prepare-network.ts'
import type { DevnetService } from '../roles/devnet-services.ts'
import type { RoleFacts } from '../roles/role-facts.ts'
import type { TaskRequest } from './network-task.ts'

export interface NetworkSettings extends NetworkChoice {
  readonly dataDir: string
  readonly host: string
  readonly portOffset: number
  readonly fresh: boolean
  readonly keepClock: boolean
  readonly json: boolean
  readonly l1BlockTimeSec: number
  readonly sequencers: number
  readonly services: readonly DevnetService[]
  readonly p2p: boolean
  readonly dataAvailability: string
  readonly batchType: string
  readonly compression: string
  readonly maxChannelDuration: number
  readonly l1Confirmations: number
  readonly logLevel: string
  readonly slowCrypto: boolean
}

/** Provided by the composition root. */
export interface NetworkEnvironment {
  readonly version: string
  /** Shared by all networks of this user. */
  readonly stateFolder: string
  readonly clock: Clock
  readonly startedMs: number
  readonly engine: () => EvmEngine
  readonly keyFormats: KeyFormats
  readonly roleFacts: RoleFacts
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
  /** The result aborts at the process's first signal. */
  readonly interruption: () => AbortSignal
  /** Serves requests of this user's other processes about the network in `folder`. */
  readonly serveControl: (folder: string, run: (request: TaskRequest) => Promise<unknown>) => Service
}
