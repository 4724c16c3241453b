/** Throws the signal's reason on abort, even when the iterable ignores the signal. */
export async function* untilAborted<T>(values: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]()
  let abort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  aborted.catch(() => undefined)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      const next = await Promise.race([aborted, iterator.next()])
      if (next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // does not wait for an iterable that hangs
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
