import type { HealthCheck } from '../health/readiness.ts'
import type { LevelStore } from './level.ts'

export function createStoreCheck(store: Pick<LevelStore, 'writeFailure'>): HealthCheck {
  return {
    name: 'store',
    check() {
      const failure = store.writeFailure()
      return failure === null ? { ok: true } : { ok: false, reason: failure.message }
    },
  }
}
