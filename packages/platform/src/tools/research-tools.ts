/** The research tool. */

import { problem, succeeded } from '../market/tool-outcome.ts'
import type { Research } from '../research/research.ts'
import { ResearchRequest, type ResearchResponse } from '../schemas/research.ts'
import { type AnyTool, defineTool } from './tool.ts'

export interface ResearchResult extends ResearchResponse {
  readonly source: string
}

export function createResearchTools({ research }: { readonly research: Research | null }): readonly AnyTool[] {
  return [
    defineTool({
      name: 'research_run',
      title: 'Research',
      description:
        'Asks a GraphQL subgraph (gql), a stored analytics query (analytics_query_id) and DeFi data tools (tvl_chain, price_symbol, pools_chain, defi_calls) at once, and sums up. errors names every source that gave nothing, and why.',
      input: ResearchRequest,
      access: 'session',
      effect: 'reads',
      async call(request, { signal }) {
        if (research === null) return problem('not-configured', 'research is not configured')
        const response = await research.run(request, signal)
        return succeeded<ResearchResult>({ ...response, source: sourcesOf(request, response) })
      },
    }),
  ]
}

/** The sources that answered. */
function sourcesOf({ subgraph }: ResearchRequest, { graph_data, analytics_state, defi_results }: ResearchResponse): string {
  const asked = [
    ...(graph_data === null ? [] : [`subgraph${subgraph ? ` ${subgraph}` : ''}`]),
    ...(analytics_state === null ? [] : ['analytics query']),
    ...new Set(defi_results.map(({ result }) => result.source)),
  ]
  return asked.length === 0 ? 'no source gave an answer' : asked.join('; ')
}
