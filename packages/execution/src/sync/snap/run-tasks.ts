export interface TaskSource<T extends object> {
  /** A task that is not in `busy`. A task in progress may add others: it calls `poke` then. */
  next(busy: ReadonlySet<T>): T | undefined
  run(task: T, poke: () => void, signal: AbortSignal): Promise<void>
}

/** Runs up to `width` tasks at a time until none is left. The first failure aborts the others and is thrown once they have ended. */
export async function runTasks<T extends object>(source: TaskSource<T>, width: number, signal: AbortSignal): Promise<void> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const busy = new Set<T>()
  let failure: { readonly error: unknown } | null = null
  await new Promise<void>((resolve) => {
    const fill = () => {
      while (busy.size < width && !either.aborted) {
        const task = source.next(busy)
        if (task === undefined) break
        busy.add(task)
        source
          .run(task, fill, either)
          .catch((error: unknown) => {
            failure ??= { error }
            failed.abort(error)
          })
          .finally(() => {
            busy.delete(task)
            fill()
          })
      }
      if (busy.size === 0) resolve()
    }
    fill()
  })
  signal.throwIfAborted()
  if (failure !== null) throw (failure as { readonly error: unknown }).error
}
