/** What keelson.json says of a public network besides the rules of its chain: names, nodes, and where the data comes from. */

import type { Address } from '@keelson/primitives'

export interface PublicNetwork {
  /** For people: "OP Sepolia Testnet". */
  readonly name: string
  /** The group of chains whose upgrades the network shares, named after their L1: `mainnet` or `sepolia`. */
  readonly superchain: string
  readonly governedByOptimism: boolean
  readonly publicRpc: string | null
  /** Takes transactions for the sequencer; null when the chain has none. */
  readonly sequencerRpc: string | null
  readonly explorer: string | null
  /** Whose blocks gossip may carry until the SystemConfig on L1 has said; null: nobody's. */
  readonly unsafeBlockSigner: Address | null
  /** Where discovery of the consensus layer begins: `enr:` records or `enode:` addresses. */
  readonly bootnodes: readonly string[]
  /** `genesis`: genesis.json makes the state; `snapshot`: only a snapshot of a running node has it. */
  readonly state: 'genesis' | 'snapshot'
  readonly source: {
    readonly repository: string
    readonly commit: string
    /** As the repository names it: `sepolia/op`. */
    readonly chain: string
    /** A second source, for what the repository does not state. */
    readonly also?: string
  }
}
