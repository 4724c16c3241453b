/** Research put together: what answers, and the routes that offer it. */
import type { Clock } from '@keelson/primitives'
import type { AnyRoute } from '../http/route.ts'
import type { DefidataTools } from '../tools/defidata/defidata-tools.ts'
import { createResearch, type Research } from './research.ts'
import { createResearchRoutes } from './research-routes.ts'
import type { ResearchSources } from './research-sources.ts'

export interface ResearchParts {
  readonly research: Research
  readonly researchRoutes: readonly AnyRoute[]
}

export interface ResearchPartsDependencies {
  readonly sources: ResearchSources
  readonly defidata: DefidataTools
  readonly clock: Clock
}

export function openResearch({ sources, defidata, clock }: ResearchPartsDependencies): ResearchParts {
  const research = createResearch({ ...sources, defidata, clock })
  return { research, researchRoutes: createResearchRoutes(research) }
}
