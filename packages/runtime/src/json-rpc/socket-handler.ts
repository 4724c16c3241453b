/** Serves JSON-RPC over WebSocket with concurrent calls. */
import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock, Logger } from '@keelson/primitives'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { ByteBudget } from '../http/byte-budget.ts'
import { createLogThrottle } from '../log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import { createClientBudgets } from './access/client-budgets.ts'
import type { RequestOrigin, RpcAccess } from './access/rpc-access.ts'
import { TRUSTED_TIER } from './access/tiers.ts'
import type { Dispatcher } from './dispatch.ts'
import { RawJson } from './raw-json.ts'
import { originOf } from './request-origin.ts'

export interface SocketLimits {
  readonly maxConnections: number
  /** Trusted networks are exempt. */
  readonly maxConnectionsPerClient: number
  readonly maxBufferedBytes: number
  /** Further messages wait in the socket. */
  readonly maxMessagesInFlight: number
  readonly pingIntervalMs: number
}

export const DEFAULT_SOCKET_LIMITS: SocketLimits = {
  maxConnections: 500,
  maxConnectionsPerClient: 100,
  maxBufferedBytes: 16 * 1024 * 1024,
  maxMessagesInFlight: 32,
  pingIntervalMs: 30_000,
}

export interface SocketHandlerOptions {
  readonly dispatcher: Dispatcher
  readonly limits: SocketLimits
  readonly maxBodyBytes: number
  /** Limit for callers that are neither trusted nor have a key. */
  readonly maxStrangerBodyBytes: number
  readonly maxResponseBytes: number
  /** Null disables access control. */
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
const POLICY_VIOLATION = 1008
const MESSAGE_TOO_BIG = 1009
const TRY_AGAIN_LATER = 1013
/** Refused messages are parsed without charge for their ids; one more closes the connection. */
const REFUSALS = { perSec: 10, burst: 200 }
/** Deadline of the close handshake. */
const CLOSE_MS = 5_000
/** Calls already read may have large responses. */
const MAX_WAITING_ANSWERS = 4
/** Queued bytes above which reading pauses. */
const PAUSE_FROM_BYTES = 1024 * 1024

/** ws closes oversized messages without a reason. */
function socketFor(maxPayload: number): typeof WebSocket {
  return class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      const tooBig = code === MESSAGE_TOO_BIG && reason === undefined
      super.close(code, tooBig ? `the message is larger than ${maxPayload} bytes; split it, or use an API key of this node` : reason)
    }
  }
}

export function createSocketHandler(options: SocketHandlerOptions): SocketHandler {
  const { limits, log } = options
  const serverOf = (maxPayload: number) => {
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
  // ws limits message size per server, not per connection.
  const known = serverOf(options.maxBodyBytes)
  const strangers = serverOf(Math.min(options.maxBodyBytes, options.maxStrangerBodyBytes))
  const clients = () => [...known.clients, ...strangers.clients]
  const clientCount = () => known.clients.size + strangers.clients.size
  const connections = options.metrics?.gauge('ws_connections', 'Open WebSocket connections')
  const dropped = options.metrics?.counter('ws_slow_clients_total', 'WebSocket connections closed because the client read too slowly')
  const throttle = createLogThrottle(options.clock)
  const refusals = createClientBudgets(options.clock, limits.maxConnections)
  const perClient = new Map<string, number>()
  const count = (client: string, by: 1 | -1): number => {
    const now = (perClient.get(client) ?? 0) + by
    if (now === 0) perClient.delete(client)
    else perClient.set(client, now)
    return now
  }

  const serve = (socket: WebSocket, origin: RequestOrigin) => {
    const gone = new AbortController()
    // Every running call adds a listener.
    setMaxListeners(0, gone.signal)
    const closers = new Set<() => void>()
    let inFlight = 0
    let alive = true
    let heldBytes = 0

    const drop = (reason: string) => {
      dropped?.inc()
      throttle((suppressed) => log.warn('dropped a WebSocket client', { reason, bufferedBytes: socket.bufferedAmount, suppressed }))
      socket.close(POLICY_VIOLATION, reason)
    }
    const send = (text: string, maxWaitingBytes: number): boolean => {
      if (socket.readyState !== socket.OPEN) return false
      if (socket.bufferedAmount + text.length > maxWaitingBytes) {
        drop(`the client reads too slowly: more than ${maxWaitingBytes} bytes are queued`)
        return false
      }
      if (!options.memory.tryTake(text.length)) {
        drop('too many large requests and responses in progress; retry later')
        return false
      }
      heldBytes += text.length
      socket.send(text, () => {
        // The bytes were released when the connection closed.
        if (gone.signal.aborted) return
        heldBytes -= text.length
        options.memory.release(text.length)
        alive = true
        pace()
      })
      return true
    }
    const answer = (text: string) => send(text, MAX_WAITING_ANSWERS * options.maxResponseBytes)
    const notify = (text: string) => send(text, limits.maxBufferedBytes)
    const busy = () => inFlight >= limits.maxMessagesInFlight
    const pace = () => {
      const full = busy() || socket.bufferedAmount > PAUSE_FROM_BYTES
      if (full && !socket.isPaused) socket.pause()
      else if (!full && socket.isPaused) socket.resume()
    }

    const onMessage = async (data: RawData) => {
      // The message arrived after the close frame.
      if (socket.readyState !== socket.OPEN) return
      const outbox = createOutbox(notify, limits.maxBufferedBytes)
      const context = {
        signal: gone.signal,
        transport: 'ws' as const,
        connection: socket,
        notify: outbox.notify,
        disconnect: drop,
        onClose: (callback: () => void) => {
          if (gone.signal.aborted) callback()
          else closers.add(callback)
        },
      }
      // The key may have been revoked.
      const entry = options.access?.identify(origin)
      if (entry?.ok === false) return socket.close(POLICY_VIOLATION, entry.message)
      const { text, waitMs } = await options.dispatcher.dispatch(String(data), context, entry?.caller)
      if (waitMs !== null && entry !== undefined && refusals.take(entry.caller.client, REFUSALS, 1) > 0)
        return socket.close(POLICY_VIOLATION, 'too many requests above the rate limit; wait before reconnecting')
      if (text !== null) answer(text)
      outbox.release()
    }

    socket.on('message', (data) => {
      alive = true
      inFlight++
      pace()
      onMessage(data)
        .catch((error: unknown) => {
          log.error('WebSocket message failed with an internal error', { error })
          socket.terminate()
        })
        .finally(() => {
          inFlight--
          pace()
        })
    })
    const heartbeat = setInterval(() => {
      // A paused socket receives no pong.
      if (!alive && !busy()) return socket.terminate()
      alive = false
      socket.ping()
    }, limits.pingIntervalMs)
    socket.on('pong', () => {
      alive = true
    })
    socket.on('error', (error) => log.debug('WebSocket connection failed', { error: error.message }))
    socket.once('close', () => {
      clearInterval(heartbeat)
      gone.abort(new DOMException('the connection is closed', 'AbortError'))
      for (const callback of closers) callback()
      closers.clear()
      options.memory.release(heldBytes)
      connections?.set(clientCount())
    })
    connections?.set(clientCount())
  }

  return {
    accept(request, socket, head) {
      const origin = originOf(request)
      const entry = options.access?.identify(origin)
      const isStranger = entry !== undefined && !(entry.ok && entry.caller.known)
      const server = isStranger ? strangers : known
      server.handleUpgrade(request, socket, head, (connection) => {
        const client = entry?.ok === true && entry.caller.tier !== TRUSTED_TIER ? entry.caller.client : null
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

/** Holds notifications back until the response with the subscription id is sent. */
function createOutbox(send: (text: string) => boolean, maxBytes: number) {
  let waiting: string[] | null = []
  let bytes = 0
  return {
    notify(method: string, params: unknown): boolean {
      const value = params instanceof RawJson ? params.text : JSON.stringify(params)
      const text = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${value}}`
      if (waiting === null) return send(text)
      bytes += text.length
      if (bytes > maxBytes) return false
      waiting.push(text)
      return true
    },
    release(): void {
      const held = waiting ?? []
      waiting = null
      for (const text of held) send(text)
    },
  }
}
