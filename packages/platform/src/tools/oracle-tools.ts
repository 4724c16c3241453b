/** The tool for prices of pairs. */
import { z } from 'zod'
import type { Chains } from '../market/chain/chains.ts'
import { oraclePrice } from '../market/oracle/oracle-price.ts'
import type { Pyth } from '../market/oracle/pyth.ts'
import { succeeded } from '../market/tool-outcome.ts'
import type { OraclePrice } from '../schemas/oracle.ts'
import { ChainArgument, chainSource, onChain } from './chain-choice.ts'
import { type AnyTool, defineTool } from './tool.ts'

export interface OraclePriceResult extends Omit<OraclePrice, 'source'> {
  readonly kind: OraclePrice['source']
  readonly source: string
}

export function createOracleTools({ chains, pyth }: { readonly chains: Chains | null; readonly pyth: Pyth | null }): readonly AnyTool[] {
  return [
    defineTool({
      name: 'oracle_price',
      title: 'Oracle price',
      description:
        'The price of a pair such as ETH/USD, from the price feeds of a chain, else from Pyth where it is configured. Says which feed, which round and how old.',
      input: z.strictObject({ pair: z.string().min(3).max(64).describe('BASE/QUOTE'), chain: ChainArgument }),
      access: 'public',
      effect: 'reads',
      call: ({ pair, chain }, { signal }) =>
        onChain(chains, chain, async (reader) => {
          const asked = { chain: reader.config.name, pair }
          const outcome = await oraclePrice(asked, { chains: { all: [reader], find: () => reader }, pyth }, signal)
          if (!outcome.ok) return outcome
          const { source: kind, ...price } = outcome.value
          return succeeded<OraclePriceResult>({ ...price, kind, source: sourceOf(outcome.value) })
        }),
    }),
  ]
}

/** `feed 0x… (ETH / USD) of chain devnet (901) at block 7`; a feed of what a symbol stands for says so. */
export function sourceOf(price: OraclePrice): string {
  const feeds = price.readings.map(({ id, description, base, quote }) => `${id} (${description === '' ? `${base}/${quote}` : description})`)
  if (price.source === 'pyth') return `Pyth, feed ${feeds.join(' and ')}`
  const chain = { config: { name: price.chain, id: price.chain_id } }
  return `feed ${feeds.join(' and ')}${otherName(price)} of ${chainSource(chain, price.block_number ?? undefined)}`
}

/** Names the feed's symbol where it differs from the requested one. */
function otherName({ base, method, readings }: OraclePrice): string {
  const [first] = readings
  if (first === undefined || method === 'inverse' || first.base.toLowerCase() === base.toLowerCase()) return ''
  return `, where ${base} is called ${first.base},`
}
