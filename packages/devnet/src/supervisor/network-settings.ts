import type { EvmEngine } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import type { KeyFormats } from '../prepare/key-formats.ts'
import type { NetworkChoice } from '../prepare/prepare-network.ts'
import type { RoleFacts } from '../roles/role-facts.ts'

/** Choices of the operator; the options of `keelson devnet` document them. */
export interface NetworkSettings extends NetworkChoice {
  readonly dataDir: string
  readonly host: string
  readonly portOffset: number
  readonly fresh: boolean
  readonly keepClock: boolean
  readonly json: boolean
  readonly l1BlockTimeSec: number
  readonly sequencers: number
  readonly p2p: boolean
  readonly dataAvailability: string
  readonly batchType: string
  readonly compression: string
  readonly maxChannelDuration: number
  readonly l1Confirmations: number
  readonly logLevel: string
  readonly slowCrypto: boolean
}

/** Parts of the program around a network, from the composition root. */
export interface NetworkEnvironment {
  readonly version: string
  /** Folder for this user's state on this machine, shared by all networks. */
  readonly stateFolder: string
  /** The machine's clock. */
  readonly clock: Clock
  /** Time at which the command began. */
  readonly startedMs: number
  readonly engine: () => EvmEngine
  readonly keyFormats: KeyFormats
  readonly roleFacts: RoleFacts
  /** Prints to standard output. */
  readonly print: (line: string) => void
  /** Prints to standard error. */
  readonly warn: (line: string) => void
  /** Takes over the process's signals. The result aborts at the first one. */
  readonly interruption: () => AbortSignal
}
