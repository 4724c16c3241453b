/** What an execution's outcome is over HTTP. */
import { ApiError, valueError } from '../http/api-error.ts'
import type { ExecutionRequest } from '../schemas/execution.ts'
import type { ExecutionOutcome } from './execution/executor.ts'

const RETRY_BUSY_SEC = 2

/** Throws InvalidRequest (422) at the field, ApiError 400 with code, rule and report, 404, 409, or 503 when nothing was sent yet. */
export function answerExecution(outcome: ExecutionOutcome, request: ExecutionRequest): ExecutionOutcome & { readonly kind: 'done' } {
  switch (outcome.kind) {
    case 'done':
      return outcome
    case 'invalid':
      throw invalid(outcome.field, outcome.detail, request)
    case 'refused': {
      const { code, detail, rule, report } = outcome.refusal
      throw new ApiError(400, detail, {
        fields: { code, ...(rule === null ? {} : { rule }), ...(report === null ? {} : { risk: report }) },
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
