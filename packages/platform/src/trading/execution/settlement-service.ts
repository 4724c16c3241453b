/** Looks after trades again and again, from the start on: what an earlier process sent is settled like what this one sends. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import type { Settler } from './settlement.ts'

export function createSettlementService(
  settler: Settler,
  deps: { readonly clock: Clock; readonly log: Logger; readonly pollMs: number },
): Service {
  const { clock, log, pollMs } = deps
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await settler.step()
      } catch (error) {
        log.warn('could not look after the trades; trying again', { error })
      }
      await clock.sleep(pollMs, stopping.signal).catch(() => undefined)
    }
  }
  return {
    name: 'settlement of trades',
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
