/** Errors omit the service's text, because it may repeat the conversation or a key. */
import { APICallError, RetryError } from 'ai'
import { SourceError } from '../../market/source-error.ts'

export function modelFailure(label: string, error: unknown): SourceError {
  for (let at: unknown = error, depth = 0; depth < 6 && at !== undefined; depth++) {
    if (at instanceof SourceError) return at
    if (RetryError.isInstance(at)) at = at.lastError
    else if (APICallError.isInstance(at) && at.statusCode !== undefined && at.statusCode !== 200) return refused(label, at.statusCode)
    else if (at instanceof Error && CONNECTION.test(codeOf(at)))
      return new SourceError(label, 'unreachable', `the connection failed (${codeOf(at)})`)
    else at = at instanceof Error ? at.cause : undefined
  }
  if (error instanceof TypeError || (APICallError.isInstance(error) && error.statusCode === undefined))
    return new SourceError(label, 'unreachable', 'the connection broke')
  return new SourceError(label, 'bad-answer', `its answer cannot be used (${error instanceof Error ? error.name : 'it tells of an error'})`)
}

const CONNECTION = /^(E[A-Z_]+|UND_ERR_\w+)$/

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

function refused(label: string, status: number): SourceError {
  const why =
    status === 401 || status === 403 ? 'it refused the key' : status === 429 ? 'it is asked too often' : 'it answered with an error'
  return new SourceError(label, 'refused', `${why} (status ${status})`)
}
