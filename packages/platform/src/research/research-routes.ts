import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { orOutage } from '../market/tool-answer.ts'
import { ResearchRequest, ResearchResponse } from '../schemas/research.ts'
import { answerResearch, type Research } from './research.ts'

export function createResearchRoutes(research: Research): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/multi-agent/research/preview',
      tag: 'multi-agent',
      summary: 'Queries a subgraph, an analytics service and DeFi data tools at once; 503 when none answers',
      auth: 'session',
      limit: RATE_LIMITS.research,
      timeout: 'research',
      body: ResearchRequest,
      answer: ResearchResponse,
      refusals: [400],
      handle: async ({ body, signal }) => answerResearch(await orOutage(() => research.run(body, signal))),
    }),
  ]
}
