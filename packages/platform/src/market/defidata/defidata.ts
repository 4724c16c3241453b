/** The DeFi data tools by name: validates arguments and calls the source for the chain. */
import type { z } from 'zod'
import {
  DEFIDATA_TOOLS,
  type DefidataInvokeRequest,
  type DefidataResult,
  type DefidataTool,
  PoolsArguments,
  TokenPriceArguments,
  TvlArguments,
} from '../../schemas/defidata.ts'
import { describeTool, type ToolList } from '../../schemas/tool-list.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import type { DefidataSource } from './defidata-source.ts'

export interface Defidata {
  list(): ToolList
  /** Throws SourceError. */
  invoke(request: DefidataInvokeRequest, signal?: AbortSignal): Promise<ToolOutcome<DefidataResult>>
}

const DEFAULT_POOLS = 10
const LIST: ToolList = {
  tools: [
    describeTool('tvl_get', 'Value locked on a chain or in a protocol, in US dollars.', TvlArguments),
    describeTool('token_price', 'The price of a token in US dollars.', TokenPriceArguments),
    describeTool('pools_list', 'Pools of a chain, the most valuable first.', PoolsArguments),
  ],
}

/**
 * Tries `sources` in order; without any, tools answer `not-configured`. A named chain is served by the first source that
 * covers it.
 */
export function createDefidata(sources: readonly DefidataSource[]): Defidata {
  /** Without a chain, a source that does not find the item passes to the next. */
  async function askFor<T>(chain: string | undefined, ask: (source: DefidataSource) => Promise<ToolOutcome<T>>): Promise<ToolOutcome<T>> {
    const [first, ...others] = sources
    if (first === undefined) return problem('not-configured', 'no source of DeFi data is configured: name a chain, or an API')
    if (chain !== undefined) return ask(sources.find((source) => source.knows(chain)) ?? first)
    let outcome = await ask(first)
    for (const source of others) {
      if (outcome.ok || outcome.reason !== 'not-found') break
      outcome = await ask(source)
    }
    return outcome
  }

  async function run<T>(schema: z.ZodType<T>, given: unknown, ask: (args: T) => Promise<ToolOutcome<DefidataResult['result']>>) {
    const parsed = schema.safeParse(given ?? {})
    if (parsed.success) return ask(parsed.data)
    const [issue] = parsed.error.issues
    return problem(
      'invalid',
      `arguments${issue === undefined ? '' : `${issue.path.map((part) => `.${String(part)}`).join('')}: ${issue.message}`}`,
    )
  }

  return {
    list: () => LIST,
    async invoke({ tool_name, arguments: given }, signal) {
      const tool = DEFIDATA_TOOLS.find((name) => name === tool_name)
      if (tool === undefined) return problem('not-found', `no tool ${tool_name}; expected one of ${DEFIDATA_TOOLS.join(', ')}`)
      const calls: Readonly<Record<DefidataTool, () => Promise<ToolOutcome<DefidataResult['result']>>>> = {
        tvl_get: () => run(TvlArguments, given, (args) => askFor(args.chain, (source) => source.tvl(args, signal))),
        token_price: () => run(TokenPriceArguments, given, (args) => askFor(args.chain, (source) => source.tokenPrice(args, signal))),
        pools_list: () =>
          run(PoolsArguments, given, ({ chain, limit = DEFAULT_POOLS }) =>
            askFor(chain, (source) => source.pools({ chain, limit }, signal)),
          ),
      }
      const outcome = await calls[tool]()
      return outcome.ok ? succeeded({ tool, result: outcome.value }) : outcome
    },
  }
}
