import type { AnnouncedFork, LeftRegistry } from '../../packages/devnet/src/network-files/public-network.ts'

/** Shipped chains that the registry no longer lists. The imported commit still has them, and their data. */
const OP_NODE_1_21: LeftRegistry = {
  noticedOn: '2026-11-25',
  source: 'https://github.com/ethereum-optimism/optimism/releases/tag/op-node%2Fv1.21.0',
  laterForks: [],
}

/** superchain-registry pull request 1212, merged on that day. */
function base(laterForks: readonly AnnouncedFork[]): LeftRegistry {
  return { noticedOn: '2026-04-27', source: 'https://github.com/ethereum-optimism/superchain-registry/pull/1212', laterForks }
}

const BASE_UPGRADES = 'https://docs.base.org/base-chain/specs/upgrades'
const BERYL = `${BASE_UPGRADES}/beryl/overview`
/** `cobalt_timestamp` in crates/common/chains/src/config.rs of base/base. */
const COBALT = 'https://github.com/base/base crates/common/chains/src/config.rs'
const DENIM = `${BASE_UPGRADES}/denim/overview`

export const LEFT_REGISTRY: Readonly<Record<string, LeftRegistry>> = {
  'mainnet/base': base([
    { name: 'beryl', at: '2026-06-25T18:00:00Z', source: BERYL },
    { name: 'cobalt', at: '2026-09-30T18:00:00Z', source: COBALT },
    { name: 'denim', at: '2026-11-05T18:00:00Z', source: DENIM },
  ]),
  'sepolia/base': base([
    { name: 'beryl', at: '2026-06-18T18:00:00Z', source: BERYL },
    { name: 'cobalt', at: '2026-09-23T18:00:00Z', source: COBALT },
    { name: 'denim', at: '2026-10-21T18:00:00Z', source: DENIM },
  ]),
  'mainnet/lisk': OP_NODE_1_21,
}
