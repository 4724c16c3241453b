/** The DeFi data tools. Results name their source. */
import type { z } from 'zod'
import type { Defidata } from '../market/defidata/defidata.ts'
import { succeeded } from '../market/tool-outcome.ts'
import { DEFIDATA_TOOLS, type DefidataTool, PoolsArguments, TokenPriceArguments, TvlArguments } from '../schemas/defidata.ts'
import { type AnyTool, defineTool } from './tool.ts'

const INPUTS: Readonly<Record<DefidataTool, z.ZodObject>> = {
  tvl_get: TvlArguments,
  token_price: TokenPriceArguments,
  pools_list: PoolsArguments,
}
const TITLES: Readonly<Record<DefidataTool, string>> = { tvl_get: 'Value locked', token_price: 'Token price', pools_list: 'Pools' }

export function createDefidataTools({ defidata }: { readonly defidata: Defidata }): readonly AnyTool[] {
  const descriptions = new Map(defidata.list().tools.map(({ name, description }) => [name, description]))
  return DEFIDATA_TOOLS.map((name) =>
    defineTool({
      name,
      title: TITLES[name],
      description: descriptions.get(name) ?? TITLES[name],
      input: INPUTS[name],
      access: 'public',
      effect: 'reads',
      async call(args, { signal }) {
        const outcome = await defidata.invoke({ tool_name: name, arguments: args }, signal)
        return outcome.ok ? succeeded(outcome.value.result) : outcome
      },
    }),
  )
}
