import type { Address } from '@keelson/primitives'

export interface PublicNetwork {
  readonly name: string
  /** Group of chains with common upgrades: `mainnet` or `sepolia`. */
  readonly superchain: string
  readonly governedByOptimism: boolean
  readonly publicRpc: string | null
  /** Accepts transactions; null if the chain has no such URL. */
  readonly sequencerRpc: string | null
  readonly explorer: string | null
  /** Signer of gossiped blocks until the SystemConfig has been read; null accepts none. */
  readonly unsafeBlockSigner: Address | null
  /** Consensus layer bootnodes, as `enr:` or `enode:`. */
  readonly bootnodes: readonly string[]
  /** Whether genesis.json has the first state, or only a snapshot of a running node. */
  readonly state: 'genesis' | 'snapshot'
  readonly source: {
    readonly repository: string
    readonly commit: string
    readonly chain: string
    readonly also?: string
  }
}
