/** /metrics for Prometheus, /livez and /readyz for supervisors, /healthz as JSON. */
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, Logger } from '@keelson/primitives'
import { pollLoop } from '../async/poll-loop.ts'
import { groupBySubscriber, limitConnections } from '../http/connection-limit.ts'
import { listen, serverUrl } from '../http/listen.ts'
import { asksForPage, type PortPage, sendPortPage } from '../http/port-page.ts'
import { pathOf } from '../http/request-origin.ts'
import { createHttpServer } from '../http/server/http-server.ts'
import { createLogThrottle } from '../log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import type { Service } from '../service.ts'
import type { HealthCheck, Readiness } from './readiness.ts'

export interface HealthServerOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly virtualHosts: readonly string[]
  readonly limits?: Partial<HealthLimits>
}

export interface HealthLimits {
  readonly maxConnections: number
  /** Does not apply to loopback addresses. */
  readonly maxPerAddress: number
  readonly requestTimeoutMs: number
  readonly writeTimeoutMs: number
}

export interface HealthServerDependencies {
  readonly metrics: Metrics
  readonly readiness: Readiness
  /** Each is served at `/NAME`, and does not count for readiness. */
  readonly separate?: readonly HealthCheck[]
  readonly clock: Clock
  readonly log: Logger
}

export interface HealthServer extends Service {
  readonly url: string
}

const PAGE: PortPage = {
  title: 'Keelson: metrics and health',
  lines: ['This port is for monitoring: metrics for Prometheus, and whether the role is alive and ready.'],
  paths: ['/metrics', '/livez', '/readyz', '/healthz'],
}
const DEFAULT_LIMITS: HealthLimits = { maxConnections: 100, maxPerAddress: 20, requestTimeoutMs: 5_000, writeTimeoutMs: 10_000 }
const ALLOW = 'GET, HEAD, OPTIONS'
const SLOW_REQUEST_CHECK_MS = 500
/** Interval of checks when there are no requests. */
const CHECK_INTERVAL_MS = 5000

export function createHealthServer(options: HealthServerOptions, dependencies: HealthServerDependencies): HealthServer {
  const { metrics, readiness, clock, separate = [] } = dependencies
  const paths = [...(PAGE.paths ?? []), ...separate.map(({ name }) => `/${name}`)]
  const log = dependencies.log.child('health')
  const startedMs = clock.nowMs()
  let bound: AddressInfo | undefined

  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    switch (path) {
      case '/metrics': {
        const { contentType, text } = await metrics.render()
        return send(response, 200, contentType, text)
      }
      case '/livez':
        return send(response, 200, 'text/plain', 'ok\n')
      case '/readyz': {
        const { ready, checks } = await readiness.report()
        const lines = checks.map((check) => `[${check.ok ? '+' : '-'}] ${check.name}: ${check.text}\n`)
        return send(response, ready ? 200 : 503, 'text/plain; charset=utf-8', `${lines.join('')}${ready ? 'ready' : 'not ready'}\n`)
      }
      case '/healthz': {
        const report = await readiness.report()
        return send(
          response,
          report.ready ? 200 : 503,
          'application/json',
          `${JSON.stringify({ ...report, timeMs: clock.nowMs(), startedMs })}\n`,
        )
      }
      default: {
        const result = await separate.find(({ name }) => path === `/${name}`)?.check()
        if (result === undefined) return send(response, 404, 'text/plain', `not found: this port serves ${paths.join(', ')}\n`)
        return send(
          response,
          result.ok ? 200 : 503,
          'text/plain; charset=utf-8',
          `${result.ok ? (result.detail ?? 'ok') : result.reason}\n`,
        )
      }
    }
  }

  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { requestTimeoutMs: requestTimeout } = limits
  const timing = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: SLOW_REQUEST_CHECK_MS }
  const http = { allowed: () => ALLOW, virtualHosts: options.virtualHosts, readDeadlineMs: limits.writeTimeoutMs, node: timing }
  const server = createHttpServer(http, (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { allow: ALLOW }).end()
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', ALLOW)
      return send(response, 405, 'text/plain', `${request.method} is not served here; use ${ALLOW}\n`)
    }
    if (asksForPage(request)) return sendPortPage(response, { ...PAGE, paths })
    answer(pathOf(request), response).catch((error: unknown) => {
      log.error('health request failed', { error })
      response.destroy()
    })
  })
  server.maxConnections = limits.maxConnections
  limitConnections(server, groupBySubscriber(), { maxPerAddress: limits.maxPerAddress, throttle: createLogThrottle(clock), log })

  const check = async () => {
    await readiness.report()
  }
  let watching: Promise<void> = Promise.resolve()

  return {
    name: 'health',
    get url() {
      if (bound === undefined) throw new Error('the health server is not listening: start it first')
      return serverUrl('http', bound)
    },
    async start(signal) {
      const option = options.option === undefined ? {} : { option: options.option }
      bound = await listen(server, { host: options.host, port: options.port, purpose: 'metrics and health', ...option })
      watching = pollLoop(check, { clock, signal, intervalMs: CHECK_INTERVAL_MS })
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await Promise.all([closed, watching])
    },
  }
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  const bytes = Buffer.from(text)
  response.writeHead(status, { 'content-type': contentType, 'content-length': bytes.length }).end(bytes)
}
