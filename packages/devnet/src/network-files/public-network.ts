import type { Address } from '@keelson/primitives'

/** A fork that the operators of a chain announced, with the time as they wrote it. */
export interface AnnouncedFork {
  readonly name: string
  /** ISO 8601, in UTC. */
  readonly at: string
  readonly source: string
}

/** A chain that the superchain registry no longer lists, so that it names no later fork. */
export interface LeftRegistry {
  readonly noticedOn: string
  readonly source: string
  /**
   * Forks that this release does not implement, in order. They are shown, not followed: the node stops before the first one that
   * rollup.json schedules.
   */
  readonly laterForks: readonly AnnouncedFork[]
}

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
  readonly leftRegistry: LeftRegistry | null
  readonly source: {
    readonly repository: string
    readonly commit: string
    readonly chain: string
    readonly also?: string
  }
}
