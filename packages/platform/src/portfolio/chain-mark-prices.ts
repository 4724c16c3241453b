/** Mark prices from the chains' feeds; pools are never used. */
import type { Address } from '@keelson/primitives'
import { type Chains, onChain } from '../market/chain/chains.ts'
import { isNative } from '../market/chain/native-address.ts'
import { succeeded } from '../market/tool-outcome.ts'
import type { MarkPriceSource } from './ports.ts'

export function createChainMarkPrices(chains: Pick<Chains, 'find'>): MarkPriceSource {
  return {
    prices: (chain) =>
      onChain(chains, chain, async ({ config, usdPrices }) => {
        const prices = await usdPrices()
        const of = (token: string) => (isNative(token) ? prices.native : prices.of(token as Address))
        return succeeded({ chainId: config.id, chain: config.name, of })
      }),
  }
}
