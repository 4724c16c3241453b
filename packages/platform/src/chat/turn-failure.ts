import { ApiError } from '../http/api-error.ts'
import { SourceError } from '../market/source-error.ts'
import { isDatabaseAway } from '../storage/database.ts'

export type TurnOutcome = 'answered' | 'source-away' | 'cancelled' | 'unforeseen'

export interface TurnFailure {
  readonly outcome: Exclude<TurnOutcome, 'answered'>
  readonly detail: string
  readonly error: unknown
}

const RETRY_SEC = '5'

export function turnFailure(error: unknown): TurnFailure {
  if (error instanceof ApiError) return { outcome: 'cancelled', detail: error.message, error }
  if (error instanceof SourceError) {
    // without a configured source, a retry would fail again
    const headers: Record<string, string> = error.reason === 'not-configured' ? {} : { 'retry-after': RETRY_SEC }
    return { outcome: 'source-away', detail: error.message, error: new ApiError(503, error.message, { headers, cause: error }) }
  }
  if (isDatabaseAway(error)) return { outcome: 'source-away', detail: 'The database cannot be reached: try again in a moment', error }
  return { outcome: 'unforeseen', detail: 'Internal Server Error', error }
}
