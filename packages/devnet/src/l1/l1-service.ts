import type { Clock, Logger } from '@keelson/primitives'
import type { CheckResult, HealthCheck, Service } from '@keelson/runtime'
import { createL1Clock, type L1Pace } from '../clocks/l1-clock.ts'
import type { JsonRpc } from '../screen/heads.ts'
import { createRoleProcess } from '../supervisor/role-process.ts'
import { waitUntil } from '../supervisor/wait-until.ts'
import { type AnvilOptions, anvilRole, copyAnvilDumpAside, restoreAnvilDump } from './anvil.ts'

const READY_TIMEOUT_MS = 60_000
const POLL_MS = 100
const BEAT_MS = 1_000
const COPY_EVERY_BEATS = 5
/** Anvil writes its dump when it stops. */
const STOP_GRACE_MS = 4_000
const SILENT_AFTER_MS = 10_000

export interface L1ServiceDependencies {
  readonly rpc: JsonRpc
  readonly clock: Clock
  readonly log: Logger
}

export interface L1Service extends Service {
  readonly check: HealthCheck
}

export function createL1Service(options: AnvilOptions & { readonly pace: L1Pace }, deps: L1ServiceDependencies): L1Service {
  const { rpc, clock, log } = deps
  const l1Clock = createL1Clock(rpc, clock, options.pace)
  const stopping = new AbortController()
  let answeredAtMs: number | null = null
  let loop: Promise<void> = Promise.resolve()
  const anvil = createRoleProcess(anvilRole(options), clock, {
    started: () => l1Clock.started(),
    died: (_, how, restartInMs) => log.error('anvil ended, starting it again', { how, restartInMs }),
    stoppedForGood: () => undefined,
    output: (_, line) => log.info(line),
  })

  const step = async () => {
    const line = await l1Clock.step()
    answeredAtMs = clock.nowMs()
    if (line !== null) log.warn(line)
  }

  async function keep(): Promise<void> {
    for (let beat = 1; !stopping.signal.aborted; beat++) {
      await step().catch((error: unknown) => log.debug('anvil does not answer', { error }))
      if (beat % COPY_EVERY_BEATS === 0) await copyAnvilDumpAside(options.folder).catch(() => undefined)
      await clock.sleep(BEAT_MS, stopping.signal).catch(() => undefined)
    }
  }

  return {
    name: 'anvil',
    check: {
      name: 'l1',
      check(): CheckResult {
        const silentMs = answeredAtMs === null ? Number.POSITIVE_INFINITY : clock.nowMs() - answeredAtMs
        if (silentMs < SILENT_AFTER_MS) return { ok: true }
        return { ok: false, reason: 'anvil does not answer', remedy: 'see the log of this role for how it ended' }
      },
    },
    async start(signal) {
      await restoreAnvilDump(options.folder, options.genesisState)
      anvil.start()
      await waitUntil(() => step().then(() => true as const), clock, {
        what: 'L1 answering',
        timeoutMs: READY_TIMEOUT_MS,
        intervalMs: POLL_MS,
        signal,
      })
      loop = keep()
    },
    async stop() {
      stopping.abort()
      await anvil.stop(STOP_GRACE_MS)
      await loop
    },
  }
}
