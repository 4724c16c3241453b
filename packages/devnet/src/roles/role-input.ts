import type { AnvilOptions } from '../l1/anvil.ts'
import type { DevnetPorts } from '../ports/ports.ts'
import type { DevnetPaths } from './devnet-paths.ts'
import type { DevnetService } from './devnet-services.ts'
import type { RoleFacts } from './role-facts.ts'

export interface DevnetRoleInput {
  readonly host: string
  readonly ports: DevnetPorts
  readonly paths: DevnetPaths
  readonly facts: RoleFacts
  readonly services: readonly DevnetService[]
  readonly anvil: AnvilOptions
  readonly clockOffsetMs: number
  readonly keys: {
    readonly batcher: string
    readonly proposer: string
    readonly sequencerSigner: string
    readonly faucet: string
    readonly validator: string
  }
  readonly outputOracle: string
  readonly l1Messenger: string
  readonly sequencerPeerId: string | null
  readonly standbyPeerId: string | null
  readonly batcher: {
    readonly dataAvailability: string
    readonly batchType: string
    readonly compression: string
    readonly maxChannelDurationL1Blocks: number
  }
  readonly sequencerL1Confirmations: number
  readonly l2BlockTimeSec: number
  readonly logLevel: string
  readonly slowCrypto: boolean
  readonly allowSameChainId: boolean
}
