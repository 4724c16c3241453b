import type { Clock } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import { ApiError, valueError } from '../http/api-error.ts'
import { orOutage } from '../market/tool-answer.ts'
import type { ExecutionRequest, ExecutionResult } from '../schemas/execution.ts'
import { isDatabaseAway } from '../storage/database.ts'
import type { Caller, ExecutionOutcome, Executor } from './execution/executor.ts'

export const ID_HEADER = 'X-Execution-Id'
const LOOK_AGAIN_MS = 250
/** Below the route's time limit, whose error could not name the execution. */
const ANSWER_WITHIN_MS = 50_000
const RETRY_LATER_SEC = 5
const RETRY_BUSY_SEC = 2

export interface ExecutionWait {
  readonly executor: Pick<Executor, 'execute' | 'find'>
  readonly answerWaitMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
  name(executionId: string): void
}

/** Clients retry after a 5xx, so errors after acceptance name the execution. */
export async function executeAndWait(request: ExecutionRequest, caller: Caller, wait: ExecutionWait): Promise<ExecutionResult> {
  const { executor, clock, signal } = wait
  let id: string | null = null
  let sent: ExecutionResult | null = null

  async function work(): Promise<ExecutionResult> {
    const outcome = await named(() => executor.execute(request, caller, (executionId) => (id = executionId)))
    if (id !== null && outcome.kind === 'busy') wait.name(id)
    const { result, executionId } = answerExecution(outcome, request)
    if (executionId === null) return result
    wait.name(executionId)
    sent = result
    return decided(result, executionId)
  }

  async function named<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await orOutage(ask)
    } catch (error) {
      if (id === null) throw error
      wait.name(id)
      if (error instanceof ApiError) throw takenAs(id, error.message, error)
      if (isDatabaseAway(error)) throw takenAs(id, 'the database cannot be reached', error)
      throw error
    }
  }

  async function decided(first: ExecutionResult, executionId: string): Promise<ExecutionResult> {
    const untilMs = clock.nowMs() + wait.answerWaitMs
    let result = first
    while (result.status === 'pending' && clock.nowMs() < untilMs && !signal.aborted) {
      // When the server stops, the response gives the sent trade's state.
      await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined)
      const found = await executor.find(executionId, caller.userId).catch(() => null)
      if (found?.kind === 'sent') result = found.result
    }
    return result
  }

  const working = work()
  // After the deadline, the execution continues without the response.
  return withDeadline(working, {
    clock,
    ms: ANSWER_WITHIN_MS,
    onTimeout(): ExecutionResult | Promise<ExecutionResult> {
      if (sent !== null) return sent
      if (id === null) return working
      wait.name(id)
      throw takenAs(id, `there is no answer after ${ANSWER_WITHIN_MS / 1000} s`)
    },
  })
}

function takenAs(id: string, why: string, cause?: unknown): ApiError {
  const ask = `ask GET /api/v1/multi-agent/execute/evm/${id} before another is ordered`
  const headers = { 'retry-after': String(RETRY_LATER_SEC) }
  return new ApiError(503, `${why}; the order was taken as execution ${id} and may be sent: ${ask}`, { headers, cause })
}

function answerExecution(outcome: ExecutionOutcome, request: ExecutionRequest): ExecutionOutcome & { readonly kind: 'done' } {
  switch (outcome.kind) {
    case 'done':
      return outcome
    case 'invalid':
      throw invalid(outcome.field, outcome.detail, request)
    case 'refused': {
      const { code, detail, rule, report, retryable, retryAt } = outcome.refusal
      throw new ApiError(400, detail, {
        fields: {
          code,
          ...(rule === null ? {} : { rule }),
          ...(report === null ? {} : { risk: report }),
          ...(retryable === undefined ? {} : { retryable }),
          ...(retryAt === undefined ? {} : { retry_at: retryAt }),
        },
      })
    }
    case 'not-found':
      throw new ApiError(404, outcome.detail)
    case 'conflict':
      throw new ApiError(409, outcome.detail)
    case 'busy':
      throw new ApiError(503, outcome.detail, { headers: { 'retry-after': String(RETRY_BUSY_SEC) } })
  }
}

function invalid(field: string, detail: string, request: ExecutionRequest) {
  if (field === 'confirm') return valueError(['body', field], detail, request.confirm ?? null)
  return valueError(['body', 'input', field], detail, (request.input as Readonly<Record<string, unknown>>)[field] ?? null)
}
