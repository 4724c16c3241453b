/** Logs once per silence, even while a request hangs, and once at its end. */
import type { AnswerWatch } from '@keelson/client'
import type { Clock, Logger } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'

export interface L1Silence extends Service {
  trouble(): { readonly reason: string } | null
}

const SILENT_AFTER_MS = 10_000
const LOOK_EVERY_MS = 1_000

export function createL1Silence(
  watch: AnswerWatch,
  host: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): L1Silence {
  const stopping = new AbortController()
  let loop: Promise<void> = Promise.resolve()
  let saidSinceMs: number | null = null

  const sinceMs = () => {
    const since = watch.unansweredSinceMs
    return since !== null && clock.nowMs() - since >= SILENT_AFTER_MS ? since : null
  }
  const textOf = (since: number) => `L1 has not answered for ${Math.floor((clock.nowMs() - since) / 1000)} s`

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const since = sinceMs()
      if (since !== null && saidSinceMs === null) {
        log.warn(textOf(since), { host, remedy: 'check the L1 URL and that L1 runs; this role continues by itself when it answers' })
        saidSinceMs = since
      } else if (since === null && saidSinceMs !== null) {
        log.info('L1 answers again', { host, afterMs: clock.nowMs() - saidSinceMs })
        saidSinceMs = null
      }
      await clock.sleep(LOOK_EVERY_MS, stopping.signal).catch(() => undefined)
    }
  }

  return {
    name: 'l1-silence',
    trouble() {
      const since = sinceMs()
      return since === null ? null : { reason: `${textOf(since)} (${host}): check the L1 URL and that L1 runs` }
    },
    async start() {
      loop = run()
    },
    async stop() {
      stopping.abort()
      await loop
    },
  }
}
