import type { StakingDomain } from '@keelson/contracts'
import type { Hash } from '@keelson/primitives'

/** Identifies a chain: a signature for one chain is no evidence on another. */
export interface ProtectedChain extends StakingDomain {
  readonly anchor: Hash
}
