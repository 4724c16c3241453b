/** Base left the superchain registry (commit 0d9aefc4): later forks are from Base's own sources. */
import { BASE_MAINNET_BOOTNODES, BASE_SEPOLIA_BOOTNODES } from './bootnodes.ts'

/** `scripts/import-networks.ts --base-registry` requires this commit. */
export const BASE_REGISTRY_COMMIT = '5b055be4d294ce43814a44c8839d89b2436dc8aa'

export interface BaseChain {
  readonly bootnodes: readonly string[]
  /**
   * Unix seconds, for the key `base` of rollup.json. docs.base.org/base-chain/specs/upgrades/azul/overview and
   * .../beryl/overview; `azul_timestamp` and `beryl_timestamp` in crates/common/chains/src/config.rs of base/base
   * (068fc036f51003ef6bf83c18cfeda99dbaa0f586) agree.
   */
  readonly forks: Readonly<Record<string, number>>
}

export const BASE_CHAINS: Readonly<Record<string, BaseChain>> = {
  'mainnet/base': { bootnodes: BASE_MAINNET_BOOTNODES, forks: { azul: 1_779_991_200, beryl: 1_782_410_400 } },
  'sepolia/base': { bootnodes: BASE_SEPOLIA_BOOTNODES, forks: { azul: 1_776_708_000, beryl: 1_781_805_600 } },
}
