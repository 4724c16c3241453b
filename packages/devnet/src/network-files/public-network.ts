import type { Address } from '@keelson/primitives'

export interface PublicNetwork {
  readonly name: string
  /** Chains with common upgrades: `mainnet` or `sepolia`. */
  readonly superchain: string
  readonly governedByOptimism: boolean
  readonly publicRpc: string | null
  readonly sequencerRpc: string | null
  readonly explorer: string | null
  /** Signer of gossiped blocks until the SystemConfig has been read; null accepts none. */
  readonly unsafeBlockSigner: Address | null
  /** `enr:` or `enode:`. */
  readonly bootnodes: readonly string[]
  /** Place of the first state: genesis.json, or only a snapshot of a running node. */
  readonly state: 'genesis' | 'snapshot'
  readonly source: {
    readonly repository: string
    readonly commit: string
    readonly chain: string
    readonly also?: string
  }
}
