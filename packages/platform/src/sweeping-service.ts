/** Calls `sweep` periodically, and `stop` when the service stops. */
import type { Clock } from '@keelson/primitives'
import { createPoller, type Service } from '@keelson/runtime'

export interface Swept {
  sweep(): void
  stop(): void
}

export const SWEEP_MS = 5_000

export function createSweepingService(name: string, swept: Swept, clock: Clock): Service {
  const poller = createPoller(async () => swept.sweep(), { clock, intervalMs: SWEEP_MS, waitFirst: true })
  return {
    name,
    failure: poller.failure,
    start: async () => poller.start(),
    async stop() {
      await poller.stop()
      swept.stop()
    },
  }
}
