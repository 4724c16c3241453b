import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'

export const DEGRADED_NAMES = [
  'engine',
  'engine-sync',
  'l1',
  'l1-labels',
  'l1-fork',
  'sync-start',
  'derivation',
  'reset',
  'unsafe-gap',
  'no-gossip',
  'l1-stale',
  'forked',
  'unsupported-fork',
  'newer-rules',
  'sequencer',
  'sequencer-lag',
  'gossip',
] as const
export type DegradedName = (typeof DEGRADED_NAMES)[number]

export interface DegradedState {
  readonly name: DegradedName
  readonly what: string
  readonly sinceMs: number
  readonly why: string
  readonly remedy: string
}

/** Conditions that need the operator's attention. Each change is logged. */
export interface DegradedStates {
  /** `sinceMs` defaults to now. */
  enter(name: DegradedName, what: string, why: string, remedy: string, sinceMs?: number): void
  leave(name: DegradedName): void
  list(): readonly DegradedState[]
}

export function createDegradedStates(clock: Clock, log: Logger): DegradedStates {
  const states = new Map<DegradedName, DegradedState>()
  return {
    enter(name, what, why, remedy, sinceMs) {
      const known = states.get(name)
      states.set(name, { name, what, sinceMs: known?.sinceMs ?? sinceMs ?? clock.nowMs(), why, remedy })
      if (known?.what !== what) log.warn(what, { why, remedy })
    },
    leave(name) {
      const known = states.get(name)
      if (known === undefined) return
      states.delete(name)
      log.info(`over: ${known.what}`, { afterMs: clock.nowMs() - known.sinceMs })
    },
    list: () => [...states.values()],
  }
}

export function registerDegradedMetric(metrics: Metrics, states: Pick<DegradedStates, 'list'>): void {
  metrics.gauge('degraded', '1 while the client is in a degraded state', ['state'], () => {
    const current = new Set(states.list().map(({ name }) => name))
    return DEGRADED_NAMES.map((state) => [{ state }, current.has(state) ? 1 : 0] as const)
  })
}
