/** The conductor as a service: looks at its candidates again and again until it is stopped. */
import type { Clock, Logger } from '@keelson/primitives'
import { messageOf, severityOf } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import type { Arbiter } from './arbiter.ts'

const RETRY_MS = 1_000

export function createConductorService(arbiter: Arbiter, { clock, log }: { readonly clock: Clock; readonly log: Logger }): Service {
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  let fail: (error: unknown) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  failure.catch(() => undefined)

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      let waitMs = RETRY_MS
      try {
        waitMs = await arbiter.step()
      } catch (error) {
        if (severityOf(error) === 'critical') return fail(error)
        log.warn('the conductor tries again', { reason: messageOf(error) })
      }
      await clock.sleep(waitMs, stopping.signal).catch(() => undefined)
    }
  }

  return {
    name: 'conductor',
    failure,
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
