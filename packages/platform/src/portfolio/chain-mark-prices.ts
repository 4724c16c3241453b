/** Prices of marking from the chains' feeds: a token without a feed has none, whatever a pool says. */
import type { Address } from '@keelson/primitives'
import { NATIVE_ADDRESS } from '../chain/chain-reader.ts'
import type { Chains } from '../chain/chains.ts'
import { problem, succeeded } from '../tools/tool-outcome.ts'
import type { MarkPriceSource } from './ports.ts'

const NATIVE = new Set<string>([NATIVE_ADDRESS, `0x${'0'.repeat(40)}`])

export function createChainMarkPrices(chains: Chains): MarkPriceSource {
  return {
    async prices(chain) {
      const reader = chains.find(chain)
      if (reader === null) return problem('not-found', `no chain ${chain}`)
      const prices = await reader.usdPrices()
      return succeeded({
        chainId: reader.config.id,
        chain: reader.config.name,
        of: (token: string) => (NATIVE.has(token) ? prices.native : prices.of(token as Address)),
      })
    },
  }
}
