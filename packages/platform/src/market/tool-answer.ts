/** What a tool's outcome is over HTTP: its value, or a refusal with the status of its reason. Outages of sources are 503. */
import { isTemporary, RpcResponseError } from '@keelson/client'
import { ApiError, type ApiStatus } from '../http/api-error.ts'
import { SourceError } from './source-error.ts'
import type { ToolOutcome, ToolProblemReason } from './tool-outcome.ts'

const STATUS: Readonly<Record<ToolProblemReason, ApiStatus>> = { invalid: 400, 'not-found': 404, limit: 429, 'not-configured': 503 }
const RETRY_LIMIT_SEC = 30
const RETRY_OUTAGE_SEC = 5

/** What the work gives. A source that is away, or a node that does not answer, is ApiError 503. */
export async function orOutage<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isOutage(error)) throw error
    throw new ApiError(503, error.message, { headers: { 'retry-after': String(RETRY_OUTAGE_SEC) }, cause: error })
  }
}

/** A source that is away, or a node that does not answer. */
export function isOutage(error: unknown): error is Error {
  // a node's answer that says why not is one too; a signature that is wrong is none
  return error instanceof SourceError || error instanceof RpcResponseError || isTemporary(error)
}

/** Throws ApiError. */
export async function answerTool<T>(work: () => ToolOutcome<T> | Promise<ToolOutcome<T>>): Promise<T> {
  const outcome = await orOutage(work)
  if (outcome.ok) return outcome.value
  // what nobody configured is not there in a moment either
  const headers: Record<string, string> = outcome.reason === 'limit' ? { 'retry-after': String(RETRY_LIMIT_SEC) } : {}
  throw new ApiError(STATUS[outcome.reason], outcome.detail, { headers })
}
