import { type AnyRoute, ApiError, answerTool, type ChainReader, defineRoute } from '@keelson/platform'
import type { Clock, Logger, Random } from '@keelson/primitives'
import { type AnalyticsExecution, createAnalyticsExecutions, KEPT_MS } from './analytics-executions.ts'
import { STORED_QUERIES } from './analytics-queries.ts'
import { readChainFacts } from './chain-facts.ts'
import {
  ExecutedQuery,
  ExecuteQueryParams,
  ExecuteQueryRequest,
  ExecutionParams,
  GraphRequest,
  GraphResponse,
  QueryResults,
  QueryResultsPage,
  QueryStatus,
} from './schemas.ts'
import { createSubgraph } from './subgraph.ts'
import { createSwapHistory } from './swap-history.ts'

export interface StandInRouteDependencies {
  readonly chain: ChainReader
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export const DEVNET_SUBGRAPH_PATH = '/devnet/subgraph'
export const DEVNET_ANALYTICS_PATH = '/devnet/analytics'
/** High, because all callers of the platform share its address. */
const LIMIT = { requests: 6_000, windowMs: 60_000 }

export function createStandInRoutes({ chain, clock, random, log }: StandInRouteDependencies): readonly AnyRoute[] {
  const history = createSwapHistory(chain)
  const answerGraph = createSubgraph(chain, history)
  const readFacts = () => readChainFacts(chain, history)
  const executions = createAnalyticsExecutions({ queries: STORED_QUERIES, readFacts, clock, random, log })
  const open = { auth: 'none', limit: LIMIT, tag: 'devnet', verbatim: true } as const
  const found = (id: string): AnalyticsExecution => {
    const execution = executions.find(id)
    if (execution === null) throw new ApiError(404, 'Unknown or expired execution')
    return execution
  }
  return [
    defineRoute({
      ...open,
      method: 'POST',
      path: DEVNET_SUBGRAPH_PATH,
      summary: 'GraphQL over the pools, swaps, tokens, blocks and accounts of the development network',
      body: GraphRequest,
      answer: GraphResponse,
      handle: ({ body }) => answerGraph(body),
    }),
    defineRoute({
      ...open,
      method: 'POST',
      path: `${DEVNET_ANALYTICS_PATH}/api/v1/query/:query_id/execute`,
      summary: `Runs a stored query: ${STORED_QUERIES.map(({ id, name }) => `${id} ${name}`).join('; ')}`,
      params: ExecuteQueryParams,
      body: ExecuteQueryRequest,
      answer: ExecutedQuery,
      refusals: [400, 404],
      handle: async ({ body, params }) => {
        const { id, state } = await answerTool(() => executions.start(params.query_id, body.query_parameters))
        return { execution_id: id, state }
      },
    }),
    defineRoute({
      ...open,
      method: 'GET',
      path: `${DEVNET_ANALYTICS_PATH}/api/v1/execution/:execution_id/status`,
      summary: 'The state of an execution',
      params: ExecutionParams,
      answer: QueryStatus,
      refusals: [404],
      handle: ({ params }) => statusOf(found(params.execution_id)),
    }),
    defineRoute({
      ...open,
      method: 'GET',
      path: `${DEVNET_ANALYTICS_PATH}/api/v1/execution/:execution_id/results`,
      summary: 'The rows of an execution',
      params: ExecutionParams,
      query: QueryResultsPage,
      answer: QueryResults,
      refusals: [404],
      handle({ params, query: { limit, offset } }) {
        const execution = found(params.execution_id)
        const { rows } = execution
        if (rows === null) return statusOf(execution)
        const page = rows.slice(offset, offset + limit)
        const metadata = { column_names: Object.keys(rows[0] ?? {}), row_count: page.length, total_row_count: rows.length }
        const next = offset + page.length < rows.length ? { next_offset: offset + page.length } : {}
        return { ...statusOf(execution), result: { rows: page.map((row) => ({ ...row })), metadata }, ...next }
      },
    }),
  ]
}

function statusOf({ id, queryId, state, submittedAtMs, startedAtMs, endedAtMs, failure }: AnalyticsExecution) {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    execution_id: id,
    query_id: queryId,
    state,
    is_execution_finished: endedAtMs !== null,
    submitted_at: new Date(submittedAtMs).toISOString(),
    execution_started_at: time(startedAtMs),
    execution_ended_at: time(endedAtMs),
    expires_at: time(endedAtMs === null ? null : endedAtMs + KEPT_MS),
    ...(failure === null ? {} : { error: { type: 'FAILED_TYPE_EXECUTION_FAILED', message: failure } }),
  }
}
