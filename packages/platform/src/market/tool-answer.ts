import { isTemporary, RpcResponseError } from '@keelson/client'
import { ApiError, type ApiStatus } from '../http/api-error.ts'
import { SourceError } from './source-error.ts'
import type { ToolOutcome, ToolProblemReason } from './tool-outcome.ts'

const STATUS: Readonly<Record<ToolProblemReason, ApiStatus>> = { invalid: 400, 'not-found': 404, limit: 429, 'not-configured': 503 }
const RETRY_LIMIT_SEC = 30
const RETRY_OUTAGE_SEC = 5

export async function orOutage<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isOutage(error)) throw error
    throw new ApiError(503, error.message, { headers: { 'retry-after': String(RETRY_OUTAGE_SEC) }, cause: error })
  }
}

export function isOutage(error: unknown): error is Error {
  // a node's error response is an outage; a signer's wrong signature is not
  return error instanceof SourceError || error instanceof RpcResponseError || isTemporary(error)
}

export async function answerTool<T>(work: () => ToolOutcome<T> | Promise<ToolOutcome<T>>): Promise<T> {
  const outcome = await orOutage(work)
  if (outcome.ok) return outcome.value
  const headers: Record<string, string> = outcome.reason === 'limit' ? { 'retry-after': String(RETRY_LIMIT_SEC) } : {}
  throw new ApiError(STATUS[outcome.reason], outcome.detail, { headers })
}
