/** What keeps things for its users as a service: what nobody uses is forgotten while it runs, and all ends with it. */
import type { Clock } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'

export interface Swept {
  /** Forgets what was idle for too long. */
  sweep(): void
  /** Ends everything. */
  stop(): void
}

export const SWEEP_MS = 5_000

export function createSweepingService(name: string, swept: Swept, clock: Clock): Service {
  const stopping = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()
  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(SWEEP_MS, stopping.signal).catch(() => undefined)
      if (!stopping.signal.aborted) swept.sweep()
    }
  }
  return {
    name,
    async start() {
      sweeping = sweep()
    },
    async stop() {
      stopping.abort()
      await sweeping
      swept.stop()
    },
  }
}
