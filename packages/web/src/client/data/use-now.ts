import { useSyncExternalStore } from 'react'
import { every, nowMs } from './browser-clock.ts'

const TICK_MS = 1_000
const listeners = new Set<() => void>()
let now = nowMs()
let stop: (() => void) | null = null

/** Time of the network, updated each second. All times on a page share one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  if (stop === null) {
    now = nowMs()
    stop = every(TICK_MS, tick)
  }
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0) return
    stop?.()
    stop = null
  }
}

function tick(): void {
  now = nowMs()
  for (const changed of listeners) changed()
}
