/** Value locked from the DeFi data tools. */
import type { Defidata } from '../market/defidata/defidata.ts'
import { problem, succeeded } from '../market/tool-outcome.ts'
import type { ChainTvlSource } from './ports.ts'

export function createDefidataTvl(tools: Defidata): ChainTvlSource {
  return {
    async tvl({ chain }, signal) {
      const outcome = await tools.invoke({ tool_name: 'tvl_get', arguments: chain === undefined ? {} : { chain } }, signal)
      if (!outcome.ok) return outcome
      const { result } = outcome.value
      return 'tvl_usd' in result ? succeeded(result) : problem('not-found', 'no value locked is known of this chain')
    },
  }
}
