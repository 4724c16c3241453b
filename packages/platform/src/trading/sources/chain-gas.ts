/** What a transaction pays now against what was usual lately. */
import type { Chains } from '../../market/chain/chains.ts'
import type { GasSource } from '../ports.ts'

const RECENT_BLOCKS = 100

/** Null on chains without base fees. Throws SourceError. */
export function createChainGas(chains: Pick<Chains, 'byId'>): GasSource {
  return {
    async gas(chainId) {
      const fees = (await chains.byId(chainId)?.baseFees(RECENT_BLOCKS)) ?? []
      const now = fees.at(-1)
      return now === undefined || fees.length < 2 ? null : { baseFeeWei: now, medianBaseFeeWei: median(fees.slice(0, -1)) }
    },
  }
}

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const at = (index: number) => sorted[Math.floor(index)] as bigint
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2n
}
