/** Research: a subgraph, an analytics query and DeFi data tools in one question and one answer. */

import { z } from 'zod'
import { judgeGraphQuery, MAX_QUERY_LENGTH } from '../research/graph-query.ts'
import { DefidataInvokeRequest, DefidataResult } from './defidata.ts'
import { EXAMPLES } from './examples.ts'

const MAX_VARIABLES_LENGTH = 20_000
export const MAX_DEFI_CALLS = 10
export const MAX_ANALYTICS_ROWS = 1_000

const Gql = z
  .string()
  .max(MAX_QUERY_LENGTH)
  .superRefine((text, context) => {
    if (text.trim() === '' || text.length > MAX_QUERY_LENGTH) return
    const judged = judgeGraphQuery(text)
    if (!judged.ok) context.addIssue({ code: 'custom', message: judged.why })
  })
const Variables = z
  .record(z.string().max(64), z.unknown())
  .refine((value) => JSON.stringify(value).length <= MAX_VARIABLES_LENGTH, `expected at most ${MAX_VARIABLES_LENGTH} characters of JSON`)
const AnalyticsParams = z
  .record(z.string().max(64), z.union([z.string().max(1_000), z.number(), z.boolean()]))
  .refine((value) => Object.keys(value).length <= 50, 'expected at most 50 parameters')

/** Null is as good as left out. */
export const ResearchRequest = z
  .strictObject({
    subgraph: z.string().max(2_000).nullish().describe("Address of a GraphQL endpoint; the platform's own when left out"),
    gql: Gql.nullish()
      .describe('One GraphQL query; without it the subgraph is not asked')
      .meta({ example: '{ pools(first: 5) { id tvlUSD } }' }),
    variables: Variables.nullish().describe('Of the query'),
    analytics_query_id: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullish().describe('Number of a stored analytics query to run'),
    analytics_params: AnalyticsParams.nullish().describe('Of the analytics query'),
    defi_calls: z.array(DefidataInvokeRequest).max(MAX_DEFI_CALLS).nullish().describe('DeFi data tools to call'),
    tvl_chain: z.string().min(1).max(64).nullish().describe('Short for a call of tvl_get'),
    price_symbol: z.string().min(1).max(64).nullish().describe('Short for a call of token_price'),
    pools_chain: z.string().min(1).max(64).nullish().describe('Short for a call of pools_list'),
    pools_limit: z.int().min(1).max(100).nullish().describe('Of that call; alone it means the first chain'),
  })
  .meta({ id: 'ResearchRequest', example: EXAMPLES.research })
export type ResearchRequest = z.infer<typeof ResearchRequest>

export const RESEARCH_REASONS = [
  'unreachable',
  'timeout',
  'refused',
  'bad-answer',
  'too-large',
  'stale',
  'not-configured',
  'not-allowed',
  'invalid',
  'not-found',
  'limit',
] as const
export type ResearchReason = (typeof RESEARCH_REASONS)[number]

export const ResearchError = z
  .object({
    source: z.string().describe('subgraph, analytics, or the name of the tool'),
    reason: z.enum(RESEARCH_REASONS),
    detail: z.string(),
  })
  .meta({ id: 'ResearchError' })
export type ResearchError = z.infer<typeof ResearchError>

export const ResearchResponse = z
  .object({
    graph_data: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('What the subgraph answered; null when it was not asked, or gave nothing'),
    analytics_rows: z.array(z.record(z.string(), z.unknown())).describe(`At most ${MAX_ANALYTICS_ROWS}`),
    analytics_state: z
      .string()
      .nullable()
      .describe('The last state of the analytics query that was seen; null when none was')
      .meta({ example: 'QUERY_STATE_COMPLETED' }),
    defi_results: z
      .array(DefidataResult)
      .describe('Of the calls that succeeded, in their order, then tvl_chain, price_symbol, pools_chain'),
    summary: z.string(),
    errors: z.array(ResearchError).describe('Every source that gave nothing, or not all, and why'),
  })
  .meta({ id: 'ResearchResponse' })
export type ResearchResponse = z.infer<typeof ResearchResponse>
