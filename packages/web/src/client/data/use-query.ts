/** Data of the server: shared by all parts of a page, fetched again at an interval while the page is visible. */
import { useEffect, useSyncExternalStore } from 'react'
import { every } from './browser-clock.ts'
import { withRetries } from './retries.ts'

export interface Loaded<T> {
  /** The last good answer, which stays when a later request fails. */
  readonly data: T | null
  readonly error: Error | null
}

const MAX_ENTRIES = 300
const NOTHING: Loaded<never> = { data: null, error: null }
const entries = new Map<string, Loaded<unknown>>()
const listeners = new Map<string, Set<() => void>>()
const running = new Set<string>()

/**
 * A null key loads nothing. Requests with one key must load the same.
 * Without an interval, a first load that failed for want of time or of a service is tried again with growing pauses.
 */
export function useQuery<T>(
  key: string | null,
  load: () => Promise<T>,
  refreshMs: number | null = null,
): Loaded<T> & { refresh: () => void } {
  const loaded = useSyncExternalStore(
    (changed) => subscribe(key, changed),
    () => (key === null ? undefined : entries.get(key)),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is loaded
  useEffect(() => {
    if (key === null) return
    if (refreshMs === null) return entries.get(key)?.data == null ? loadOnce(key, load) : undefined
    const fetchNow = () => void run(key, load)
    fetchNow()
    const stop = every(refreshMs, () => {
      if (!document.hidden) fetchNow()
    })
    document.addEventListener('visibilitychange', fetchNow)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', fetchNow)
    }
  }, [key, refreshMs])
  const { data, error } = loaded ?? NOTHING
  return { data: data as T | null, error, refresh: () => key !== null && void run(key, load) }
}

/** Returns the function that stops trying. */
function loadOnce(key: string, load: () => Promise<unknown>): () => void {
  const leaving = new AbortController()
  const attempt = async () => {
    await run(key, load)
    const loaded = entries.get(key)
    if (loaded?.data == null) throw loaded?.error ?? new Error('the same load is under way')
  }
  withRetries(attempt, leaving.signal).catch(() => undefined)
  return () => leaving.abort()
}

async function run(key: string, load: () => Promise<unknown>): Promise<void> {
  if (running.has(key)) return
  running.add(key)
  try {
    store(key, { data: await load(), error: null })
  } catch (error) {
    store(key, { data: entries.get(key)?.data ?? null, error: error instanceof Error ? error : new Error(String(error)) })
  } finally {
    running.delete(key)
  }
}

function store(key: string, loaded: Loaded<unknown>): void {
  entries.delete(key)
  entries.set(key, loaded)
  for (const old of entries.keys()) {
    if (entries.size <= MAX_ENTRIES) break
    if (!listeners.has(old)) entries.delete(old)
  }
  for (const changed of listeners.get(key) ?? []) changed()
}

function subscribe(key: string | null, changed: () => void): () => void {
  if (key === null) return () => undefined
  const known = listeners.get(key) ?? new Set()
  listeners.set(key, known.add(changed))
  return () => {
    known.delete(changed)
    if (known.size === 0) listeners.delete(key)
  }
}
