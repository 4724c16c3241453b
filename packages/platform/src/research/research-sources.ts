import type { Clock } from '@keelson/primitives'
import { createHttpClient } from '@keelson/runtime'
import { type AnalyticsConfig, createAnalytics, type RunAnalytics } from './analytics.ts'
import { createPublicLookup } from './public-lookup.ts'
import { type AskSubgraph, createSubgraph, type SubgraphConfig } from './subgraph.ts'

export interface ResearchConfig {
  readonly subgraph: SubgraphConfig
  readonly analytics: AnalyticsConfig | null
}

export interface ResearchSources {
  readonly askSubgraph: AskSubgraph
  readonly runAnalytics: RunAnalytics | null
}

export interface OpenedResearchSources extends ResearchSources {
  close(): void
}

export const NO_RESEARCH_SOURCES: ResearchSources = {
  askSubgraph: async () => ({ ok: false, reason: 'not-configured', detail: 'no subgraph is configured' }),
  runAnalytics: null,
}

const CALLER_SOCKETS = 8

export function openResearchSources(config: ResearchConfig, clock: Clock): OpenedResearchSources {
  const configured = createHttpClient()
  const guarded = createHttpClient({ maxSockets: CALLER_SOCKETS, lookup: createPublicLookup() })
  return {
    askSubgraph: createSubgraph(config.subgraph, { configured, guarded }),
    runAnalytics: config.analytics === null ? null : createAnalytics(config.analytics, configured, clock),
    close() {
      configured.close()
      guarded.close()
    },
  }
}
