import type { z } from 'zod'
import {
  DEFIDATA_TOOLS,
  type DefidataInvokeRequest,
  type DefidataResult,
  PoolsArguments,
  type PoolsResult,
  TokenPriceArguments,
  type TokenPriceResult,
  TvlArguments,
  type TvlResult,
} from '../../schemas/defidata.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'

type TvlQuestion = z.output<typeof TvlArguments>
type TokenPriceQuestion = z.output<typeof TokenPriceArguments>
type PoolsQuestion = z.output<typeof PoolsArguments>

export interface DefidataSource {
  knows(chain: string | undefined): boolean
  tvl(question: TvlQuestion, signal?: AbortSignal): Promise<ToolOutcome<TvlResult>>
  tokenPrice(question: TokenPriceQuestion, signal?: AbortSignal): Promise<ToolOutcome<TokenPriceResult>>
  pools(question: PoolsQuestion & { readonly limit: number }, signal?: AbortSignal): Promise<ToolOutcome<PoolsResult>>
}

export type Defidata = ReturnType<typeof createDefidata>

const DEFAULT_POOLS = 10

/** Asks the first source that covers a named chain; otherwise each source until one finds the item. */
export function createDefidata(sources: readonly DefidataSource[]) {
  async function first<T>(chain: string | undefined, ask: (source: DefidataSource) => Promise<ToolOutcome<T>>): Promise<ToolOutcome<T>> {
    if (sources[0] === undefined) return problem('not-configured', 'no source of DeFi data is configured: name a chain, or an API')
    if (chain !== undefined) return ask(sources.find((source) => source.knows(chain)) ?? sources[0])
    let outcome = await ask(sources[0])
    for (const source of sources.slice(1)) if (!outcome.ok && outcome.reason === 'not-found') outcome = await ask(source)
    return outcome
  }

  const tools = {
    tvl: (question: TvlQuestion, signal?: AbortSignal) => first(question.chain, (source) => source.tvl(question, signal)),
    tokenPrice: (question: TokenPriceQuestion, signal?: AbortSignal) =>
      first(question.chain, (source) => source.tokenPrice(question, signal)),
    pools: ({ chain, limit = DEFAULT_POOLS }: PoolsQuestion, signal?: AbortSignal) =>
      first(chain, (source) => source.pools({ chain, limit }, signal)),
  }

  return {
    ...tools,
    async invoke({ tool_name, arguments: given = {} }: DefidataInvokeRequest, signal?: AbortSignal): Promise<ToolOutcome<DefidataResult>> {
      const tool = DEFIDATA_TOOLS.find((name) => name === tool_name)
      if (tool === undefined) return problem('not-found', `no tool ${tool_name}; expected one of ${DEFIDATA_TOOLS.join(', ')}`)
      const run = async <Q>(
        schema: z.ZodType<Q>,
        ask: (question: Q, signal?: AbortSignal) => Promise<ToolOutcome<DefidataResult['result']>>,
      ) => {
        const parsed = schema.safeParse(given)
        if (parsed.success) return ask(parsed.data, signal)
        const [issue] = parsed.error.issues
        return problem('invalid', `${['arguments', ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message ?? 'they do not fit'}`)
      }
      const calls = {
        tvl_get: () => run(TvlArguments, tools.tvl),
        token_price: () => run(TokenPriceArguments, tools.tokenPrice),
        pools_list: () => run(PoolsArguments, tools.pools),
      }
      const outcome = await calls[tool]()
      return outcome.ok ? succeeded({ tool, result: outcome.value }) : outcome
    },
  }
}
