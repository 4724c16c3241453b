import { type Clock, type Logger, messageOf, severityOf } from '@keelson/primitives'
import { createPoller, type Service } from '@keelson/runtime'
import type { Arbiter } from './arbiter.ts'

const RETRY_MS = 1_000

/** Runs an arbiter's steps until a critical error. */
export function createConductorService(arbiter: Arbiter, { clock, log }: { readonly clock: Clock; readonly log: Logger }): Service {
  const poller = createPoller(() => arbiter.step(), {
    clock,
    intervalMs: RETRY_MS,
    onError(error) {
      if (severityOf(error) === 'critical') throw error
      log.warn('the conductor tries again', { reason: messageOf(error) })
    },
  })
  return {
    name: 'conductor',
    failure: poller.failure,
    start: async () => poller.start(),
    stop: () => poller.stop(),
  }
}
