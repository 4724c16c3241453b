import { useSyncExternalStore } from 'react'

const MOVED = 'keelson:moved'

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname)
}

export function useSearch(): string {
  return useSyncExternalStore(subscribe, () => location.search)
}

/** `replace` leaves no entry in the history. */
export function goTo(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  dispatchEvent(new Event(MOVED))
  if (!replace) scrollTo(0, 0)
}

function subscribe(changed: () => void): () => void {
  for (const event of ['popstate', MOVED]) addEventListener(event, changed)
  return () => {
    for (const event of ['popstate', MOVED]) removeEventListener(event, changed)
  }
}
