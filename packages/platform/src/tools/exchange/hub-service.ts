/** The hub as a service: idle sessions are forgotten while it runs, and all streams end with it. */
import type { Clock } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import type { MarketHub } from './market-hub.ts'

export const SWEEP_MS = 5_000

export function createHubService(hub: MarketHub, clock: Clock): Service {
  const stopping = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()
  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(SWEEP_MS, stopping.signal).catch(() => undefined)
      if (!stopping.signal.aborted) hub.sweep()
    }
  }
  return {
    name: 'market data',
    async start() {
      sweeping = sweep()
    },
    async stop() {
      stopping.abort()
      await sweeping
      hub.stop()
    },
  }
}
