/** Forks announced after the imported registry commit. The registry's entry wins once it has the key. */
export interface Announcement {
  readonly forks: Readonly<Record<string, number>>
  readonly source: string
}

/**
 * World Chain: registry pull request 1313; KARST_UPGRADE_TIMESTAMP_* in crates/chainspec/src/spec.rs of worldcoin/world-chain
 * agree.
 */
const WORLD_CHAIN = 'https://github.com/ethereum-optimism/superchain-registry/pull/1313'

export const ANNOUNCED_FORKS: Readonly<Record<string, Announcement>> = {
  'mainnet/worldchain': { forks: { karst_time: 1_789_992_000 }, source: WORLD_CHAIN },
  'sepolia/worldchain': { forks: { karst_time: 1_788_868_800 }, source: WORLD_CHAIN },
}
