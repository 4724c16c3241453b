import type { Address } from '@keelson/primitives'

export interface PublicNetwork {
  readonly name: string
  /** The group of chains that upgrade together: `mainnet` or `sepolia`. */
  readonly superchain: string
  readonly governedByOptimism: boolean
  readonly publicRpc: string | null
  readonly sequencerRpc: string | null
  readonly explorer: string | null
  /** Signer of gossiped blocks until the SystemConfig has been read; with null, no block is accepted. */
  readonly unsafeBlockSigner: Address | null
  /** `enr:` or `enode:`. */
  readonly bootnodes: readonly string[]
  /** Where the first state is: in genesis.json, or only in a snapshot of a running node. */
  readonly state: 'genesis' | 'snapshot'
  readonly source: {
    readonly repository: string
    readonly commit: string
    readonly chain: string
    readonly also?: string
  }
}
