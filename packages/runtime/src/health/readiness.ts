import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { withDeadline } from '../async/with-deadline.ts'
import type { Metrics } from '../metrics.ts'

export type CheckResult =
  | { readonly ok: true; readonly detail?: string }
  | { readonly ok: false; readonly reason: string; readonly remedy?: string }

export interface HealthCheck {
  readonly name: string
  /** Whether strangers may read the text, which then names no path, address or key. */
  readonly isPublic?: boolean
  /** A check must not throw and has a deadline of 2 s. */
  check(): CheckResult | Promise<CheckResult>
}

export interface CheckReport {
  readonly name: string
  readonly ok: boolean
  readonly text: string
  readonly sinceMs: number
  readonly isPublic?: true
}

export interface ReadinessReport {
  readonly ready: boolean
  readonly checks: readonly CheckReport[]
}

export interface Readiness {
  add(check: HealthCheck): void
  report(): Promise<ReadinessReport>
}

export interface ReadinessDependencies {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

const CHECK_TIMEOUT_MS = 2000

export function createReadiness(checks: readonly HealthCheck[], dependencies: ReadinessDependencies): Readiness {
  const { clock, log } = dependencies
  const all: HealthCheck[] = [...checks]
  const states = new Map<string, { ok: boolean; sinceMs: number }>()
  const gauge = dependencies.metrics?.gauge('ready_check', '1 when the check passes, 0 when it fails', ['check'])

  const reportOne = async ({ name, check, isPublic }: HealthCheck): Promise<CheckReport & { readonly turnedBad: string | null }> => {
    const result = await guarded(check, clock)
    const before = states.get(name)
    const sinceMs = before !== undefined && before.ok === result.ok ? before.sinceMs : clock.nowMs()
    states.set(name, { ok: result.ok, sinceMs })
    gauge?.set(result.ok ? 1 : 0, { check: name })
    const text = result.ok ? (result.detail ?? 'ok') : degradedLine(result.reason, result.remedy, sinceMs)
    if (before?.ok === false && result.ok) log.info(`${name} recovered`, { afterSec: Math.round((sinceMs - before.sinceMs) / 1000) })
    const turnedBad = before?.ok !== false && !result.ok ? degradedLine(result.reason, result.remedy, null) : null
    return { name, ok: result.ok, text, sinceMs, ...(isPublic === true ? { isPublic } : {}), turnedBad }
  }

  const sayTurnedBad = (reports: Awaited<ReturnType<typeof reportOne>>[]) => {
    const fresh = reports.filter(({ turnedBad }) => turnedBad !== null)
    for (const reason of new Set(fresh.map(({ turnedBad }) => turnedBad))) {
      const same = fresh.filter(({ turnedBad }) => turnedBad === reason)
      log.warn(`not ready: ${same.map(({ name }) => name).join(', ')}: ${same[0]?.text}`)
    }
  }

  return {
    add(check) {
      all.push(check)
    },
    async report() {
      const reports = await Promise.all(all.map(reportOne))
      sayTurnedBad(reports)
      return {
        ready: reports.every((report) => report.ok),
        checks: reports.map(({ turnedBad: _, ...report }) => report),
      }
    },
  }
}

function degradedLine(reason: string, remedy: string | undefined, sinceMs: number | null): string {
  const since = sinceMs === null ? '' : ` (since ${new Date(sinceMs).toISOString().slice(0, 19)}Z)`
  return remedy === undefined ? `${reason}${since}` : `${reason}${since}; ${remedy}`
}

async function guarded(check: HealthCheck['check'], clock: Clock): Promise<CheckResult> {
  const onTimeout = (): CheckResult => ({ ok: false, reason: `the check did not finish within ${CHECK_TIMEOUT_MS / 1000} s` })
  try {
    return await withDeadline(async () => check(), { clock, ms: CHECK_TIMEOUT_MS, onTimeout })
  } catch (error) {
    return { ok: false, reason: `the check failed: ${messageOf(error)}` }
  }
}
