/** Research put together: what answers, and the routes that offer it; on the development network also what stands in for its sources. */
import type { Clock, Logger, Random } from '@keelson/primitives'
import type { AnyRoute } from '../http/route.ts'
import type { Chains } from '../market/chain/chains.ts'
import type { Defidata } from '../market/defidata/defidata.ts'
import { createDevnetRoutes } from './devnet/devnet-routes.ts'
import { createResearch, type Research } from './research.ts'
import { createResearchRoutes } from './research-routes.ts'
import type { ResearchSources } from './research-sources.ts'

export interface ResearchParts {
  readonly research: Research
  readonly researchRoutes: readonly AnyRoute[]
}

export interface ResearchPartsDependencies {
  readonly sources: ResearchSources
  readonly defidata: Defidata
  readonly chains: Chains | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** `standIns`: the main chain is a development network's, and its data is served as subgraph and analytics service. */
export function openResearch(standIns: boolean, { sources, defidata, chains, ...rest }: ResearchPartsDependencies): ResearchParts {
  const research = createResearch({ ...sources, defidata, clock: rest.clock })
  const devnet = standIns && chains !== null ? createDevnetRoutes({ chain: chains.main, ...rest }) : []
  return { research, researchRoutes: [...createResearchRoutes(research), ...devnet] }
}
