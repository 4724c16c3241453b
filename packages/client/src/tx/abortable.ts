import { ClientError } from '../client-error.ts'

export function stopped(why: string): ClientError {
  return new ClientError('client/stopped', 'temporary', why)
}

/** Stops waiting when the signal aborts; the transaction continues. */
export function abortable<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(stopped('the caller gave up waiting; the transaction may still be mined'))
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
