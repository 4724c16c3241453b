/** For load balancers: answers 503 while the database does not respond. */
import type { Clock } from '@keelson/primitives'
import { ApiError } from '../http/api-error.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { apiHealth, serviceHealth } from '../schemas/health.ts'

export interface HealthOptions {
  readonly version: string
  readonly environment: string
}

export interface HealthDependencies {
  trouble(): Promise<string | null>
  readonly clock: Clock
}

export function createHealthRoutes({ version, environment }: HealthOptions, { trouble, clock }: HealthDependencies): readonly AnyRoute[] {
  const startedMs = clock.monotonicMs()
  const assertWell = async () => {
    const wrong = await trouble()
    if (wrong !== null)
      throw new ApiError(503, `Unavailable: ${wrong}`, { headers: { 'retry-after': '1' }, fields: { status: 'unavailable', version } })
  }
  const base = { method: 'GET', tag: 'health', auth: 'none', limit: RATE_LIMITS.read } as const
  return [
    defineRoute({
      ...base,
      path: '/health',
      summary: 'Whether the service is well, and since when',
      answer: serviceHealth,
      async handle() {
        await assertWell()
        return { status: 'healthy' as const, environment, version, uptime: durationText(clock.monotonicMs() - startedMs) }
      },
    }),
    defineRoute({
      ...base,
      path: '/api/v1/health',
      summary: 'Whether the API is well',
      answer: apiHealth,
      async handle() {
        await assertWell()
        return { status: 'healthy' as const, version, timestamp: new Date(clock.nowMs()).toISOString() }
      },
    }),
  ]
}

/** `1d 2h 3m 4s`, without leading zeros. */
function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const parts = [
    `${Math.floor(seconds / 86_400)}d`,
    `${Math.floor(seconds / 3600) % 24}h`,
    `${Math.floor(seconds / 60) % 60}m`,
    `${seconds % 60}s`,
  ]
  const first = parts.findIndex((part) => !part.startsWith('0'))
  return parts.slice(first === -1 ? 3 : first).join(' ')
}
