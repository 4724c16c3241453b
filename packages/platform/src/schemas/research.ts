import { z } from 'zod'
import { judgeGraphQuery, MAX_QUERY_LENGTH } from '../research/graph-query.ts'
import { DefidataCallOfMany, DefidataResult } from './defidata.ts'
import { EXAMPLES } from './examples.ts'

const MAX_VARIABLES_LENGTH = 20_000
const MAX_PARAMETERS = 50
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
  .refine((value) => Object.keys(value).length <= MAX_PARAMETERS, `expected at most ${MAX_PARAMETERS} parameters`)
  .meta({ maxProperties: MAX_PARAMETERS })

export const ResearchRequest = z
  .object({
    subgraph: z.string().max(2_000).nullish().describe("URL of a GraphQL endpoint. Default: the platform's"),
    gql: Gql.nullish()
      .describe('GraphQL query of at most 20 levels, 500 fields and 50 aliases. Absent: the subgraph is not queried')
      .meta({ example: '{ pools(first: 5) { id tvlUSD } }' }),
    variables: Variables.nullish().describe(`Variables of the query, at most ${MAX_VARIABLES_LENGTH} characters of JSON`),
    analytics_query_id: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullish().describe('Id of a stored analytics query to run'),
    analytics_params: AnalyticsParams.nullish().describe('Parameters of the analytics query'),
    defi_calls: z.array(DefidataCallOfMany).max(MAX_DEFI_CALLS).nullish().describe('DeFi data tools to call'),
    tvl_chain: z.string().min(1).max(64).nullish().describe('Shortcut for a call of tvl_get'),
    price_symbol: z.string().min(1).max(64).nullish().describe('Shortcut for a call of token_price'),
    pools_chain: z.string().min(1).max(64).nullish().describe('Shortcut for a call of pools_list'),
    pools_limit: z.int().min(1).max(100).nullish().describe('Limit of that call. Without pools_chain: of the first chain'),
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
    source: z.string().describe('subgraph, analytics, or the name of a tool'),
    reason: z.enum(RESEARCH_REASONS),
    detail: z.string(),
  })
  .meta({ id: 'ResearchError' })
export type ResearchError = z.infer<typeof ResearchError>

export const ResearchResponse = z
  .object({
    graph_data: z.record(z.string(), z.unknown()).nullable().describe('Data of the subgraph; null without a query or data'),
    analytics_rows: z.array(z.record(z.string(), z.unknown())).describe(`At most ${MAX_ANALYTICS_ROWS}`),
    analytics_state: z
      .string()
      .nullable()
      .describe('Last known state of the analytics query; null when none is known')
      .meta({ example: 'QUERY_STATE_COMPLETED' }),
    defi_results: z
      .array(DefidataResult)
      .describe('Results of the successful defi_calls in order, then of tvl_chain, price_symbol, pools_chain'),
    summary: z.string(),
    errors: z.array(ResearchError).describe('Sources that failed or returned incomplete data'),
  })
  .meta({ id: 'ResearchResponse' })
export type ResearchResponse = z.infer<typeof ResearchResponse>
