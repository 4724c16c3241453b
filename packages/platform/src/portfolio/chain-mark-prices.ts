/** Mark prices from the chains' feeds; pools are never used. */
import type { Address } from '@keelson/primitives'
import { type Chains, shownChains, unknownChain } from '../market/chain/chains.ts'
import { isNative } from '../market/chain/native-address.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import type { MarkPriceSource } from './ports.ts'

export function createChainMarkPrices(chains: Chains): MarkPriceSource {
  return {
    async prices(chain) {
      const reader = chains.find(chain)
      if (reader === null) return problem('not-found', unknownChain(chain, shownChains(chains)))
      const prices = await reader.usdPrices()
      return succeeded({
        chainId: reader.config.id,
        chain: reader.config.name,
        of: (token: string) => (isNative(token) ? prices.native : prices.of(token as Address)),
      })
    },
  }
}
