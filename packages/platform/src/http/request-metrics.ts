/** Logs omit the content of requests. */
import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface RequestMetricsDependencies {
  readonly clock: Clock
  readonly metrics?: Metrics
}

export function addRequestMetrics(app: FastifyInstance, { clock, metrics }: RequestMetricsDependencies, log: Logger): void {
  const answered = metrics?.counter('http_requests_total', 'Requests by route and status', ['method', 'route', 'status'])
  const seconds = metrics?.histogram('http_seconds', 'Time to answer, by route', ['route'])
  let underWay = 0
  metrics?.gauge('http_requests_under_way', 'Requests in progress', [], () => underWay)
  const begun = new WeakMap<FastifyRequest, number>()
  app.addHook('onRequest', async (request) => {
    begun.set(request, clock.monotonicMs())
    underWay++
  })
  app.addHook('onResponse', async (request, reply) => {
    underWay--
    const route = request.routeOptions.url ?? 'other'
    const tookMs = clock.monotonicMs() - (begun.get(request) ?? clock.monotonicMs())
    answered?.inc(1, { method: request.method, route, status: reply.statusCode })
    seconds?.observe(tookMs / 1000, { route })
    log.debug('answered', { method: request.method, route, status: reply.statusCode, tookMs: Math.round(tookMs) })
  })
}
