/** /api/v1/multi-agent/research/preview */
import { ApiError } from '../http/api-error.ts'
import { type AnyRoute, defineRoute, RATE_LIMITS } from '../http/route.ts'
import { ResearchRequest, ResearchResponse } from '../schemas/research.ts'
import { answerResearch, type Research } from './research.ts'

/** Each may hold some 10 MB of answers. */
const MAX_AT_ONCE = 32

export function createResearchRoutes(research: Research): readonly AnyRoute[] {
  let underWay = 0
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/multi-agent/research/preview',
      tag: 'multi-agent',
      summary: 'Asks a subgraph, an analytics query and DeFi data tools at once; 503 when none answers',
      auth: 'session',
      limit: RATE_LIMITS.research,
      timeout: 'research',
      body: ResearchRequest,
      answer: ResearchResponse,
      refusals: [400],
      async handle({ body, signal }) {
        if (underWay >= MAX_AT_ONCE)
          throw new ApiError(503, 'Too much research is under way: try again', { headers: { 'retry-after': '5' } })
        underWay++
        try {
          return answerResearch(await research.run(body, signal))
        } finally {
          underWay--
        }
      },
    }),
  ]
}
