/** Logs each reason once per peer or address and hour. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '../metrics.ts'

const TOLD_AGAIN_MS = 3_600_000
const MAX_REMEMBERED = 2_000

export function createRefusalLog(
  clock: Pick<Clock, 'monotonicMs'>,
  log: Logger,
  metrics: Metrics | undefined,
): (refusal: string, direction: 'inbound' | 'outbound', who: string) => void {
  const starts = [{ direction: 'inbound' }, { direction: 'outbound' }]
  const help = 'connections refused, by direction and reason'
  const refused = metrics?.counter('p2p_refused_connections_total', help, ['direction', 'reason'], starts)
  const told = new Map<string, number>()
  return (reason, direction, who) => {
    refused?.inc(1, { direction, reason })
    const key = `${reason} ${direction} ${who.replace(/\/tcp\/\d+.*$/, '')}`
    const nowMs = clock.monotonicMs()
    if (nowMs - (told.get(key) ?? Number.NEGATIVE_INFINITY) < TOLD_AGAIN_MS) return
    told.delete(key)
    told.set(key, nowMs)
    if (told.size > MAX_REMEMBERED) told.delete(told.keys().next().value as string)
    log.info('a connection is refused', { direction, reason, who })
  }
}
