/** Dune's interface: execute, poll the state, read the rows. */
import type { Clock } from '@keelson/primitives'
import type { HttpClient, Secret } from '@keelson/runtime'
import { z } from 'zod'
import { type JsonAnswer, requestJson } from '../market/http/request-json.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { MAX_ANALYTICS_ROWS } from '../schemas/research.ts'

export interface AnalyticsConfig {
  readonly url: string
  readonly key: Secret | null
}

export interface AnalyticsQuestion {
  readonly queryId: number
  readonly params: Readonly<Record<string, string | number | boolean>>
}

export interface AnalyticsRun {
  readonly label: string
  readonly queryId: number
  readonly state: string
  readonly rows: readonly Readonly<Record<string, unknown>>[] | null
  readonly totalRows: number | null
  readonly trouble: string | null
}

/** Throws SourceError. */
export type RunAnalytics = (
  question: AnalyticsQuestion,
  signal: AbortSignal,
  onState: (run: AnalyticsRun) => void,
) => Promise<ToolOutcome<AnalyticsRun>>

/** The endpoint's limit is 120 s. */
export const SOURCE_TIMEOUT_MS = 115_000
const COMPLETED: readonly string[] = ['QUERY_STATE_COMPLETED', 'QUERY_STATE_COMPLETED_PARTIAL']
const ENDED: readonly string[] = ['QUERY_STATE_FAILED', 'QUERY_STATE_CANCELLED', 'QUERY_STATE_CANCELED', 'QUERY_STATE_EXPIRED']
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 5_000
const STATUS_TIMEOUT_MS = 10_000
const MAX_LOST = 3

const State = z.string().regex(/^QUERY_STATE_[A-Z_]{1,40}$/)
const ExecutionId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)
const Executed = z.object({ execution_id: ExecutionId, state: State.optional() })
const Status = z.object({ state: State, error: z.object({ message: z.string().optional() }).nullish() })
const Results = z.object({
  state: State.optional(),
  result: z.object({
    rows: z.array(z.record(z.string(), z.unknown())),
    metadata: z.object({ total_row_count: z.int().min(0).optional() }).nullish(),
  }),
})

export function isFinal(state: string): boolean {
  return COMPLETED.includes(state) || ENDED.includes(state)
}

export function createAnalytics(config: AnalyticsConfig, http: HttpClient, clock: Clock): RunAnalytics {
  const base = new URL(config.url)
  const folder = base.pathname.replace(/\/+$/, '')
  const label = `analytics (${base.host})`

  function ask(method: 'GET' | 'POST', path: string, signal: AbortSignal, body?: unknown): Promise<JsonAnswer> {
    const [pathname = '', search = ''] = path.split('?')
    const url = new URL(base)
    url.pathname = `${folder}/api/v1/${pathname}`
    url.search = search
    const headers: Record<string, string> = config.key === null ? {} : { 'x-dune-api-key': config.key.reveal() }
    const timeoutMs = path.endsWith('/status') ? STATUS_TIMEOUT_MS : SOURCE_TIMEOUT_MS
    return requestJson(http, { label, url: url.href, method, headers, signal, timeoutMs, ...(body === undefined ? {} : { body }) })
  }

  function read<T>(schema: z.ZodType<T>, { status, value }: JsonAnswer, what: string): T {
    if (status > 299) throw refused(status, what)
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new SourceError(label, 'bad-answer', `${what} was answered in another form than expected`)
  }

  function refused(status: number, what: string): SourceError {
    const hint = status === 401 || status === 403 ? ': the key is not accepted' : ''
    return new SourceError(label, 'refused', `expected status 200 for ${what}, got ${status}${hint}`)
  }

  async function awaitEnd(id: string, signal: AbortSignal, onState: (state: string) => void): Promise<z.infer<typeof Status>> {
    let lost = 0
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      try {
        const status = read(Status, await ask('GET', `execution/${id}/status`, signal), 'the state')
        lost = 0
        onState(status.state)
        if (isFinal(status.state)) return status
      } catch (error) {
        if (signal.aborted || !(error instanceof SourceError) || error.reason === 'bad-answer' || ++lost >= MAX_LOST) throw error
      }
      await clock.sleep(waitMs, signal)
    }
  }

  return async ({ queryId, params }, signal, onState) => {
    const started = await ask('POST', `query/${queryId}/execute`, signal, { query_parameters: params })
    if (started.status === 404) return problem('not-found', `${label} has no query ${queryId}`)
    if (started.status === 400) return problem('invalid', `${label} does not take query ${queryId} with these parameters`)
    const { execution_id: id } = read(Executed, started, 'the start of a query')
    const run = { label, queryId, rows: null, totalRows: null, trouble: null }
    const { state, error } = await awaitEnd(id, signal, (seen) => onState({ ...run, state: seen }))
    if (!COMPLETED.includes(state)) {
      const why = error?.message === undefined ? '' : `: ${error.message.slice(0, 300)}`
      return succeeded({ ...run, state, trouble: `${label}: query ${queryId} ended as ${state}${why}` })
    }
    const answer = await ask('GET', `execution/${id}/results?limit=${MAX_ANALYTICS_ROWS}`, signal)
    const { result } = read(Results, answer, 'the rows')
    const rows = result.rows.slice(0, MAX_ANALYTICS_ROWS)
    const totalRows = result.metadata?.total_row_count ?? null
    const isCut = result.rows.length > rows.length || (totalRows ?? 0) > rows.length || state !== COMPLETED[0]
    const trouble = isCut ? `${label}: query ${queryId} gave ${totalRows ?? 'more'} rows, the first ${rows.length} are shown` : null
    return succeeded({ ...run, state, rows, totalRows, trouble })
  }
}
