/** What a tool's outcome is over HTTP: its value, or a refusal with the status of its reason. Outages of sources are 503. */
import { ApiError, type ApiStatus } from '../http/api-error.ts'
import { SourceError } from '../sources/source-error.ts'
import type { ToolOutcome, ToolProblemReason } from './tool-outcome.ts'

const STATUS: Readonly<Record<ToolProblemReason, ApiStatus>> = { invalid: 400, 'not-found': 404, limit: 429, 'not-configured': 503 }
const RETRY_LIMIT_SEC = 30
const RETRY_OUTAGE_SEC = 5

/** Throws ApiError. */
export async function answerTool<T>(work: () => ToolOutcome<T> | Promise<ToolOutcome<T>>): Promise<T> {
  const outcome = await (async () => work())().catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error
    throw new ApiError(503, error.message, { headers: { 'retry-after': String(RETRY_OUTAGE_SEC) }, cause: error })
  })
  if (outcome.ok) return outcome.value
  // what nobody configured is not there in a moment either
  const headers: Record<string, string> = outcome.reason === 'limit' ? { 'retry-after': String(RETRY_LIMIT_SEC) } : {}
  throw new ApiError(STATUS[outcome.reason], outcome.detail, { headers })
}
