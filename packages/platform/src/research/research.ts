import type { Clock } from '@keelson/primitives'
import { ApiError } from '../http/api-error.ts'
import { withTimeLimit } from '../http/time-limit.ts'
import type { Defidata } from '../market/defidata/defidata.ts'
import { SourceError } from '../market/source-error.ts'
import type { DefidataInvokeRequest, DefidataResult } from '../schemas/defidata.ts'
import type { ResearchError, ResearchReason, ResearchRequest, ResearchResponse } from '../schemas/research.ts'
import { type AnalyticsRun, isFinal, type RunAnalytics, SOURCE_TIMEOUT_MS } from './analytics.ts'
import type { AskSubgraph, SubgraphAnswer } from './subgraph.ts'
import { summarize } from './summary.ts'

export type Research = ReturnType<typeof createResearch>

export interface ResearchDependencies {
  readonly askSubgraph: AskSubgraph
  readonly runAnalytics: RunAnalytics | null
  readonly defidata: Pick<Defidata, 'invoke'>
  readonly clock: Clock
}

/** Each may hold about 10 MB of answers. */
const MAX_AT_ONCE = 32
const RETRY_OUTAGE_SEC = 5

export interface Findings {
  readonly subgraph: SubgraphAnswer | null
  readonly analytics: AnalyticsRun | null
  readonly defi: readonly DefidataResult[]
  readonly errors: readonly ResearchError[]
}

interface Part<T> {
  readonly value: T | null
  readonly error: ResearchError | null
}

export function createResearch({ askSubgraph, runAnalytics, defidata, clock }: ResearchDependencies) {
  async function part<T>(source: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Part<T>>): Promise<Part<T>> {
    signal.throwIfAborted()
    const tooLate = () => new SourceError(source, 'timeout', `no answer within ${SOURCE_TIMEOUT_MS / 1000} s`)
    return withTimeLimit({ limitMs: SOURCE_TIMEOUT_MS, clock, signals: [signal], abandons: true, tooLate }, work).catch(
      (error: unknown): Part<T> => {
        if (error instanceof SourceError && !signal.aborted) return failed(source, error.reason, error.message)
        throw error
      },
    )
  }

  function graph({ subgraph, gql, variables }: ResearchRequest, signal: AbortSignal): Promise<Part<SubgraphAnswer>> {
    const query = gql?.trim() ? gql : null
    const where = subgraph?.trim() ? subgraph.trim() : null
    if (query === null) {
      if (where === null && !variables) return Promise.resolve(NOTHING)
      return Promise.resolve(failed('subgraph', 'invalid', 'subgraph and variables mean nothing without gql'))
    }
    return part('subgraph', signal, async (inTime) => {
      const outcome = await askSubgraph({ subgraph: where, gql: query, variables: variables ?? {} }, inTime)
      if (!outcome.ok) return failed('subgraph', outcome.reason, outcome.detail)
      const { trouble } = outcome.value
      const error = trouble === null ? null : { source: 'subgraph', reason: 'refused' as const, detail: trouble }
      return { value: outcome.value.data === null ? null : outcome.value, error }
    })
  }

  async function analytics(request: ResearchRequest, signal: AbortSignal): Promise<Part<AnalyticsRun>> {
    const { analytics_query_id: queryId, analytics_params: params } = request
    if (queryId === null || queryId === undefined) {
      return params ? failed('analytics', 'invalid', 'analytics_params mean nothing without analytics_query_id') : NOTHING
    }
    if (runAnalytics === null)
      return failed('analytics', 'not-configured', 'no analytics service is configured: the operator names one by --analytics.url')
    // the last state is returned even after the deadline
    const seen: { run: AnalyticsRun | null } = { run: null }
    const { value, error } = await part<AnalyticsRun>('analytics', signal, async (inTime) => {
      const outcome = await runAnalytics({ queryId, params: params ?? {} }, inTime, (run) => {
        seen.run = run
      })
      if (!outcome.ok) return failed('analytics', outcome.reason, outcome.detail)
      const run = outcome.value
      const trouble: ResearchError | null =
        run.trouble === null ? null : { source: 'analytics', reason: run.rows === null ? 'refused' : 'too-large', detail: run.trouble }
      return { value: run, error: trouble }
    })
    return { value: value ?? seen.run, error }
  }

  function call(request: DefidataInvokeRequest, signal: AbortSignal): Promise<Part<DefidataResult>> {
    const source = request.tool_name
    return part(source, signal, async (inTime) => {
      const outcome = await defidata.invoke(request, inTime)
      return outcome.ok ? { value: outcome.value, error: null } : failed(source, outcome.reason, outcome.detail)
    })
  }

  async function gather(request: ResearchRequest, signal: AbortSignal): Promise<ResearchResponse> {
    const [subgraph, run, ...calls] = await Promise.all([
      graph(request, signal),
      analytics(request, signal),
      ...callsOf(request).map((one) => call(one, signal)),
    ])
    const findings: Findings = {
      subgraph: subgraph.value,
      analytics: run.value,
      defi: calls.flatMap(({ value }) => (value === null ? [] : [value])),
      errors: [subgraph, run, ...calls].flatMap(({ error }) => (error === null ? [] : [error])),
    }
    return {
      graph_data: subgraph.value?.data ?? null,
      analytics_rows: [...(run.value?.rows ?? [])],
      analytics_state: run.value?.state ?? null,
      defi_results: [...findings.defi],
      summary: summarize(findings),
      errors: [...findings.errors],
    }
  }

  let underWay = 0
  return {
    /** Throws SourceError at the limit. */
    async run(request: ResearchRequest, signal: AbortSignal) {
      if (underWay >= MAX_AT_ONCE) throw new SourceError('research', 'refused', 'too much is under way: try again')
      underWay++
      try {
        return await gather(request, signal)
      } finally {
        underWay--
      }
    },
  }
}

const NOTHING = { value: null, error: null } as const

function failed(source: string, reason: ResearchReason, detail: string): { readonly value: null; readonly error: ResearchError } {
  return { value: null, error: { source, reason, detail } }
}

function callsOf(request: ResearchRequest): readonly DefidataInvokeRequest[] {
  const { defi_calls, tvl_chain, price_symbol, pools_chain, pools_limit } = request
  const pools = { ...(pools_chain ? { chain: pools_chain } : {}), ...(pools_limit ? { limit: pools_limit } : {}) }
  return [
    ...(defi_calls ?? []),
    ...(tvl_chain ? [{ tool_name: 'tvl_get', arguments: { chain: tvl_chain } }] : []),
    ...(price_symbol ? [{ tool_name: 'token_price', arguments: { symbol: price_symbol } }] : []),
    ...(Object.keys(pools).length === 0 ? [] : [{ tool_name: 'pools_list', arguments: pools }]),
  ]
}

/** Reasons for which a retry would fail again. */
const OF_CALLER: readonly ResearchReason[] = ['invalid', 'not-allowed', 'not-found']

/** Throws ApiError 400 or 503 when no source answered. */
export function answerResearch(response: ResearchResponse): ResearchResponse {
  const { graph_data, analytics_state, defi_results, errors } = response
  const answered = graph_data !== null || defi_results.length > 0 || (analytics_state !== null && isFinal(analytics_state))
  if (answered || errors.length === 0) return response
  const why = errors.map(({ source, detail }) => (detail.startsWith(source) ? detail : `${source}: ${detail}`)).join('; ')
  const fields = { errors }
  if (errors.every(({ reason }) => OF_CALLER.includes(reason))) throw new ApiError(400, `No source gave an answer: ${why}`, { fields })
  const passing = errors.some(({ reason }) => reason !== 'not-configured' && !OF_CALLER.includes(reason))
  const headers: Record<string, string> = passing ? { 'retry-after': String(RETRY_OUTAGE_SEC) } : {}
  throw new ApiError(503, `No source gave an answer: ${why}`, { headers, fields })
}
