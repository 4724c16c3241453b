/**
 * A WebSocket port that sends the same texts to everybody who is connected. A listener that reads too slowly loses its connection, so
 * what waits in memory is bounded; what a listener sends is ignored.
 */
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock, Logger } from '@keelson/primitives'
import { WebSocketServer } from 'ws'
import { createRequestRefusal } from '../json-rpc/request-refusal.ts'
import { createUpgradeHandler } from '../json-rpc/upgrade-handler.ts'
import { createLogThrottle } from '../log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import type { Service } from '../service.ts'
import { groupBySubscriber, limitConnections } from './connection-limit.ts'
import { listen, serverUrl } from './listen.ts'
import { asksForPage, sendPortPage } from './port-page.ts'
import { createHttpServer } from './server/http-server.ts'
import { watchSilence } from './socket-heartbeat.ts'

export interface BroadcastServerOptions {
  /** Name in logs, metrics and errors, such as "subblocks". */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly option: string
  readonly virtualHosts: readonly string[]
}

export interface BroadcastServer extends Service {
  readonly address: AddressInfo
  /** Open connections. */
  readonly count: number
  publish(text: string): void
}

const MAX_CONNECTIONS = 256
const MAX_CONNECTIONS_PER_ADDRESS = 10
const MAX_WAITING_BYTES = 16 * 2 ** 20
const MAX_RECEIVED_BYTES = 1_024
const PING_INTERVAL_MS = 30_000
const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013

export function createBroadcastServer(
  options: BroadcastServerOptions,
  { log: parent, clock, metrics }: { readonly log: Logger; readonly clock: Clock; readonly metrics: Metrics },
): BroadcastServer {
  const { name, virtualHosts } = options
  const log = parent.child(name)
  const throttle = createLogThrottle(clock)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_RECEIVED_BYTES, perMessageDeflate: false })
  const slow = metrics.counter('stream_slow_listeners_total', 'Listeners disconnected because they read too slowly')
  metrics.gauge('stream_listeners', 'Open connections of the stream', [], () => sockets.clients.size)
  const page = { title: `Keelson: ${name}`, lines: ['This port is for programs. It sends a stream of messages over WebSocket.'] }

  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    sockets.handleUpgrade(request, socket, head, (connection) => {
      if (sockets.clients.size > MAX_CONNECTIONS) return connection.close(TRY_AGAIN_LATER, 'too many connections')
      connection.on('error', () => connection.terminate())
      watchSilence(connection, PING_INTERVAL_MS, clock, () => connection.terminate())
    })
  const refusal = createRequestRefusal({ name, virtualHosts }, { clock, log })
  const onUpgrade = createUpgradeHandler({ enabled: true, origins: ['*'], access: null, minBlock: null, refusal, sockets: { accept } })
  const server = createHttpServer({ allowed: () => 'GET, HEAD', virtualHosts, node: { noDelay: true } }, (request, response) => {
    if (asksForPage(request)) return sendPortPage(response, page)
    response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket', connection: 'upgrade, close' })
    response.end('this port speaks WebSocket only\n')
  })
  limitConnections(server, groupBySubscriber(), { maxPerAddress: MAX_CONNECTIONS_PER_ADDRESS, throttle, log })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    onUpgrade(request, socket, head).catch((error: unknown) => {
      log.error('WebSocket handshake failed with an internal error', { error })
      socket.destroy()
    })
  })

  let bound: AddressInfo | null = null
  return {
    name,
    get address() {
      if (bound === null) throw new Error(`${name} is not listening: start it first`)
      return bound
    },
    get count() {
      return sockets.clients.size
    },
    publish(text) {
      for (const connection of sockets.clients) {
        if (connection.bufferedAmount + text.length <= MAX_WAITING_BYTES) {
          connection.send(text)
          continue
        }
        slow.inc()
        throttle((suppressed) => log.warn('disconnected a listener that reads too slowly', { suppressed }))
        connection.terminate()
      }
    },
    async start() {
      bound = await listen(server, { host: options.host, port: options.port, purpose: name, option: options.option })
      log.info('listening', { url: serverUrl('ws', bound) })
    },
    async stop() {
      for (const connection of sockets.clients) {
        connection.close(GOING_AWAY, 'the server is stopping')
        connection.terminate()
      }
      sockets.close()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
