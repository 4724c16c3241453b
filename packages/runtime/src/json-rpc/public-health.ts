import type { Clock } from '@keelson/primitives'
import type { Readiness } from '../health/readiness.ts'

export interface PublicHealth {
  answer(path: string): Promise<{ readonly status: 200 | 503; readonly body: string }> | null
}

const KEEP_MS = 1000

export function createPublicHealth(readiness: Readiness, clock: Clock): PublicHealth {
  let last: { readonly atMs: number; readonly report: ReturnType<Readiness['report']> } | null = null
  const report = () => {
    const nowMs = clock.monotonicMs()
    if (last === null || nowMs - last.atMs >= KEEP_MS) last = { atMs: nowMs, report: readiness.report() }
    return last.report
  }
  const readyAnswer = async () => {
    const { ready, checks } = await report()
    if (ready) return { status: 200, body: '{"status":"ok"}\n' } as const
    const bad = checks.filter((check) => !check.ok)
    const reasons = Object.fromEntries(bad.filter((check) => check.isPublic === true).map((check) => [check.name, check.text]))
    const body = { status: 'not ready', failing: bad.map((check) => check.name), reasons }
    return { status: 503, body: `${JSON.stringify(body)}\n` } as const
  }
  return {
    answer(path) {
      if (path === '/livez') return Promise.resolve({ status: 200, body: '{"status":"ok"}\n' })
      return path === '/health' || path === '/readyz' ? readyAnswer() : null
    },
  }
}
