import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, Logger } from '@keelson/primitives'
import { createHttpServer, type IpNetwork, listen, type RenderFault, serverUrl, shareConnections } from '@keelson/runtime'
import { jsonBody } from '../../http-faults.ts'
import { timeText } from './answers.ts'
import { connectedCaller } from './caller.ts'
import { allowedAt } from './faucet-paths.ts'

export interface EntranceOptions {
  readonly host: string
  readonly port: number
  readonly option?: string
  readonly virtualHosts: readonly string[]
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

/** The caller's quotas are unknown, so `nextClaimTime` is now. */
export function earlyRefusal(error: string, { nowMs }: Pick<Clock, 'nowMs'>, code = 'request'): object {
  return { success: false, error, code, nextClaimTime: timeText(nowMs()) }
}

export function createEntrance(options: EntranceOptions, deps: { readonly clock: Clock; readonly log: Logger }): Entrance {
  const { host, port, option, virtualHosts, trustedProxies } = options
  const timing = { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: 1_000 }
  let handler: RequestListener = (_request, response) => response.writeHead(503).end()
  const renderFault: RenderFault = ({ kind, message }) =>
    jsonBody(earlyRefusal(message, deps.clock, kind === 'method' ? 'method-not-allowed' : kind === 'path' ? 'not-found' : 'request'))
  const server = createHttpServer({ allowed: allowedAt, virtualHosts, renderFault, node: timing }, (request, response) =>
    handler(request, response),
  )
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
