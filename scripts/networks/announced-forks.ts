/** What was announced after the imported registry commit. The registry's entry wins once it has the key. */
export interface Announcement {
  readonly forks: Readonly<Record<string, number>>
  readonly source: string
  /** Chain ids of the dependency set that Lagoon activates; omitted for a chain that depends on no other. */
  readonly dependencySet?: readonly number[]
}

/**
 * World Chain: registry pull request 1313; KARST_UPGRADE_TIMESTAMP_* in crates/chainspec/src/spec.rs of worldcoin/world-chain
 * agree.
 */
const WORLD_CHAIN = 'https://github.com/ethereum-optimism/superchain-registry/pull/1313'

/**
 * Lagoon: the registry snapshot is older than its schedule. The release notes of op-node v1.21.0 and op-reth v2.10.0, both of
 * 2026-11-25, name these chains and times: 2026-12-10 16:00:01 UTC on Sepolia, 2027-01-11 16:00:01 UTC on Mainnet.
 */
const LAGOON_SEPOLIA = lagoon(1_796_918_401)
const LAGOON_MAINNET = lagoon(1_799_683_201)

/** OP and Unichain depend on each other: optimism pull request 24242. */
const SEPOLIA_SET = [1301, 11155420]
const MAINNET_SET = [10, 130]

function lagoon(timeSec: number): Announcement {
  return {
    forks: { lagoon_time: timeSec },
    source: 'https://github.com/ethereum-optimism/optimism/releases/tag/op-node%2Fv1.21.0',
  }
}

export const ANNOUNCED_FORKS: Readonly<Record<string, Announcement>> = {
  'mainnet/ink': LAGOON_MAINNET,
  'mainnet/op': { ...LAGOON_MAINNET, dependencySet: MAINNET_SET },
  'mainnet/soneium': LAGOON_MAINNET,
  'mainnet/unichain': { ...LAGOON_MAINNET, dependencySet: MAINNET_SET },
  'mainnet/worldchain': { forks: { karst_time: 1_789_992_000 }, source: WORLD_CHAIN },
  'sepolia/ink': LAGOON_SEPOLIA,
  'sepolia/op': { ...LAGOON_SEPOLIA, dependencySet: SEPOLIA_SET },
  'sepolia/soneium-minato': LAGOON_SEPOLIA,
  'sepolia/unichain': { ...LAGOON_SEPOLIA, dependencySet: SEPOLIA_SET },
  'sepolia/worldchain': { forks: { karst_time: 1_788_868_800 }, source: WORLD_CHAIN },
}
