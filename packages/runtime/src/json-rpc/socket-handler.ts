import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock, Logger } from '@keelson/primitives'
import { WebSocket, WebSocketServer } from 'ws'
import type { ByteBudget } from '../http/byte-budget.ts'
import { originOf } from '../http/request-origin.ts'
import { createLogThrottle } from '../log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import { createClientBudgets } from './access/client-budgets.ts'
import { limitedClient, type RequestOrigin, type RpcAccess } from './access/rpc-access.ts'
import type { Dispatcher } from './dispatch.ts'
import { type ConnectionContext, serveConnection } from './socket-connection.ts'
import type { SocketLimits } from './socket-limits.ts'

export interface SocketHandlerOptions {
  readonly dispatcher: Dispatcher
  readonly limits: SocketLimits
  readonly maxBodyBytes: number
  /** Limit for callers that are neither trusted nor have a key. */
  readonly maxStrangerBodyBytes: number
  readonly maxResponseBytes: number
  readonly access: RpcAccess | null
  readonly memory: ByteBudget
  readonly log: Logger
  readonly clock: Clock
  readonly metrics?: Metrics
}

export interface SocketHandler {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
  terminate(): void
}

const GOING_AWAY = 1001
const MESSAGE_TOO_BIG = 1009
const TRY_AGAIN_LATER = 1013
/** Deadline of the close handshake. */
const CLOSE_MS = 5_000
/** ws closes oversized messages without a reason. */
function socketFor(maxPayload: number): typeof WebSocket {
  return class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      const tooBig = code === MESSAGE_TOO_BIG && reason === undefined
      super.close(code, tooBig ? `the message is larger than ${maxPayload} bytes; split it, or use an API key of this node` : reason)
    }
  }
}

function createServer(maxPayload: number): WebSocketServer {
  // The types of ws lack closeTimeout.
  const settings = {
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: true,
    closeTimeout: CLOSE_MS,
    WebSocket: socketFor(maxPayload),
  }
  return new WebSocketServer(settings)
}

export function createSocketHandler(options: SocketHandlerOptions): SocketHandler {
  const { limits } = options
  // ws limits message size per server, not per connection.
  const known = createServer(options.maxBodyBytes)
  const strangers = createServer(Math.min(options.maxBodyBytes, options.maxStrangerBodyBytes))
  const clients = () => [...known.clients, ...strangers.clients]
  const clientCount = () => known.clients.size + strangers.clients.size
  const connections = options.metrics?.gauge('ws_connections', 'Open WebSocket connections')
  const context: ConnectionContext = {
    ...options,
    dropped: options.metrics?.counter('ws_slow_clients_total', 'WebSocket connections closed because the client read too slowly'),
    throttle: createLogThrottle(options.clock),
    refusals: createClientBudgets(options.clock, limits.maxConnections),
  }
  const perClient = new Map<string, number>()
  const count = (client: string, by: 1 | -1): number => {
    const now = (perClient.get(client) ?? 0) + by
    if (now === 0) perClient.delete(client)
    else perClient.set(client, now)
    return now
  }

  const serve = (socket: WebSocket, origin: RequestOrigin) => {
    serveConnection(socket, origin, context)
    socket.once('close', () => connections?.set(clientCount()))
    connections?.set(clientCount())
  }

  return {
    accept(request, socket, head) {
      const origin = originOf(request)
      const entry = options.access?.identify(origin)
      const isStranger = entry !== undefined && !(entry.ok && entry.caller.known)
      const server = isStranger ? strangers : known
      server.handleUpgrade(request, socket, head, (connection) => {
        const client = limitedClient(entry?.ok === true ? entry.caller : undefined)
        const tooMany = client !== null && (perClient.get(client) ?? 0) >= limits.maxConnectionsPerClient
        if (clientCount() > limits.maxConnections || tooMany) {
          connection.close(TRY_AGAIN_LATER, 'too many connections')
          return
        }
        if (client !== null) {
          count(client, 1)
          connection.once('close', () => count(client, -1))
        }
        serve(connection, origin)
      })
    },
    close() {
      for (const connection of clients()) connection.close(GOING_AWAY, 'the server is stopping')
      known.close()
      strangers.close()
    },
    terminate() {
      for (const connection of clients()) connection.terminate()
    },
  }
}
