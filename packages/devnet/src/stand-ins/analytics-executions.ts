import { problem, SourceError, succeeded, type ToolOutcome } from '@keelson/platform'
import { bytesToHex, type Clock, type Logger, type Random } from '@keelson/primitives'
import type { AnalyticsRow, StoredQuery } from './analytics-queries.ts'
import type { ChainFacts } from './chain-facts.ts'

export type ExecutionState =
  | 'QUERY_STATE_PENDING'
  | 'QUERY_STATE_EXECUTING'
  | 'QUERY_STATE_COMPLETED'
  | 'QUERY_STATE_FAILED'
  | 'QUERY_STATE_EXPIRED'

export interface AnalyticsExecution {
  readonly id: string
  readonly queryId: number
  readonly state: ExecutionState
  readonly submittedAtMs: number
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  /** Null before completion and after expiry. */
  readonly rows: readonly AnalyticsRow[] | null
  readonly failure: string | null
}

export interface AnalyticsExecutions {
  start(queryId: number, params: unknown): ToolOutcome<AnalyticsExecution>
  find(id: string): AnalyticsExecution | null
}

export interface AnalyticsExecutionsDependencies {
  readonly queries: readonly StoredQuery[]
  readFacts(): ChainFacts
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const AT_ONCE = 2
const MAX_UNFINISHED = 100
const MAX_KEPT = 500
export const KEPT_MS = 600_000

export function createAnalyticsExecutions({
  queries,
  readFacts,
  clock,
  random,
  log,
}: AnalyticsExecutionsDependencies): AnalyticsExecutions {
  const kept = new Map<string, AnalyticsExecution>()
  const waiting: (() => Promise<void>)[] = []
  let running = 0

  async function run(execution: AnalyticsExecution, work: () => Promise<readonly AnalyticsRow[]>): Promise<void> {
    const started = { ...execution, state: 'QUERY_STATE_EXECUTING', startedAtMs: clock.nowMs() } as const
    kept.set(execution.id, started)
    const ended = await work().then(
      (rows) => ({ state: 'QUERY_STATE_COMPLETED', rows }) as const,
      (error: unknown) => {
        if (!(error instanceof SourceError)) log.error('an analytics query failed', { queryId: execution.queryId, error: String(error) })
        return { state: 'QUERY_STATE_FAILED', failure: error instanceof SourceError ? error.message : 'the query failed' } as const
      },
    )
    kept.set(execution.id, { ...started, endedAtMs: clock.nowMs(), ...ended })
  }

  function workOff(): void {
    while (running < AT_ONCE) {
      const next = waiting.shift()
      if (next === undefined) return
      running++
      void next().finally(() => {
        running--
        workOff()
      })
    }
  }

  function current(execution: AnalyticsExecution): AnalyticsExecution {
    const { endedAtMs } = execution
    if (endedAtMs === null || clock.nowMs() - endedAtMs < KEPT_MS) return execution
    return { ...execution, state: 'QUERY_STATE_EXPIRED', rows: null }
  }

  return {
    start(queryId, params) {
      const query = queries.find(({ id }) => id === queryId)
      if (query === undefined)
        return problem(
          'not-found',
          `Query ${queryId} is not found: there are ${queries.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
        )
      const parsed = query.params.safeParse(params ?? {})
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        return problem('invalid', `query_parameters${issue === undefined ? '' : ` ${issue.path.join('.')}: ${issue.message}`}`)
      }
      if (running + waiting.length >= MAX_UNFINISHED) return problem('limit', `more than ${MAX_UNFINISHED} queries are under way`)
      const execution: AnalyticsExecution = {
        id: bytesToHex(random.bytes(16)).slice(2),
        queryId,
        state: 'QUERY_STATE_PENDING',
        submittedAtMs: clock.nowMs(),
        startedAtMs: null,
        endedAtMs: null,
        rows: null,
        failure: null,
      }
      kept.set(execution.id, execution)
      // Deletes only finished executions: the number of unfinished ones is below MAX_KEPT.
      while (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string)
      waiting.push(() => run(execution, () => query.rows(readFacts(), parsed.data)))
      workOff()
      return succeeded(execution)
    },
    find(id) {
      const execution = kept.get(id)
      return execution === undefined ? null : current(execution)
    },
  }
}
