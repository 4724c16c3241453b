import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock, Logger } from '@keelson/primitives'
import { type IpNetwork, listen, serverUrl, shareConnections } from '@keelson/runtime'
import { type EarlyMistake, earlyErrors } from '../../http-errors.ts'
import { timeText } from './answers.ts'
import { connectedCaller } from './caller.ts'

export interface EntranceOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly trustedProxies: readonly IpNetwork[]
}

/** The port of the faucet. Its handler may change while it is open. */
export interface Entrance {
  readonly url: string
  serve(handler: RequestListener): void
  start(): Promise<void>
  stop(): Promise<void>
}

const CONNECTIONS = { max: 4_096, perCaller: 64, perNetwork: 512 }
const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 20_000

const EARLY: Readonly<Record<EarlyMistake, string>> = {
  path: 'the path cannot be decoded',
  'too-long': 'the path and the headers are too long',
  'too-slow': 'the request did not arrive in time',
  'not-http': 'the request is not valid HTTP',
}

/** The caller's quotas are unknown, so `nextClaimTime` is now. */
export function earlyErrorsAt(clock: Pick<Clock, 'nowMs'>) {
  return earlyErrors((mistake) => ({ success: false, error: EARLY[mistake], code: 'request', nextClaimTime: timeText(clock.nowMs()) }))
}

export function createEntrance(options: EntranceOptions, deps: { readonly clock: Clock; readonly log: Logger }): Entrance {
  const { host, port, option, trustedProxies } = options
  const timing = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000 }
  let handler: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer({ ...timing, maxHeaderSize: 16_384 }, (request, response) => handler(request, response))
  server.on('clientError', (error, socket) => earlyErrorsAt(deps.clock).clientErrorHandler(error, socket as Socket))
  shareConnections(server, CONNECTIONS, (peer) => connectedCaller(peer, trustedProxies), deps)
  let bound: AddressInfo | undefined
  return {
    get url() {
      if (bound === undefined) throw new Error('the faucet is not listening: start it first')
      return serverUrl('http', bound)
    },
    serve(next) {
      handler = next
    },
    async start() {
      bound = await listen(server, { host, port, purpose: 'faucet', ...(option === undefined ? {} : { option }) })
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
