/**
 * JSON-RPC over WebSocket: calls of one connection run side by side up to a limit, subscriptions are
 * pushed with `notify`, and a client that does not read fast enough is dropped.
 */
import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '@keelson/primitives'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Metrics } from '../metrics.ts'
import type { ClientBudgets } from './client-budgets.ts'
import type { Dispatcher } from './dispatch.ts'

export interface SocketLimits {
  readonly maxConnections: number
  /** Waiting in memory for one slow client before it is dropped. */
  readonly maxBufferedBytes: number
  /** Messages of one connection worked on at once; more wait in the socket. */
  readonly maxMessagesInFlight: number
  readonly pingIntervalMs: number
}

export const DEFAULT_SOCKET_LIMITS: SocketLimits = {
  maxConnections: 500,
  maxBufferedBytes: 16 * 1024 * 1024,
  maxMessagesInFlight: 32,
  pingIntervalMs: 30_000,
}

export interface SocketHandlerOptions {
  readonly dispatcher: Dispatcher
  readonly limits: SocketLimits
  readonly maxBodyBytes: number
  readonly budgets: ClientBudgets | null
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface SocketHandler {
  /** Completes the handshake of an upgrade already found acceptable. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Says goodbye to every client. */
  close(): void
  /** Cuts those who did not answer the goodbye. */
  terminate(): void
}

const GOING_AWAY = 1001
const TRY_AGAIN_LATER = 1013

export function createSocketHandler(options: SocketHandlerOptions): SocketHandler {
  const { limits, log } = options
  const server = new WebSocketServer({ noServer: true, maxPayload: options.maxBodyBytes, perMessageDeflate: false, clientTracking: true })
  const connections = options.metrics?.gauge('ws_connections', 'Open WebSocket connections')
  const dropped = options.metrics?.counter('ws_slow_clients_total', 'WebSocket connections closed because the client read too slowly')

  const serve = (socket: WebSocket, address: string) => {
    const gone = new AbortController()
    // every call under way listens to it
    setMaxListeners(0, gone.signal)
    const closers = new Set<() => void>()
    let inFlight = 0
    let alive = true

    const send = (text: string): boolean => {
      if (socket.readyState !== socket.OPEN) return false
      if (socket.bufferedAmount + text.length > limits.maxBufferedBytes) {
        dropped?.inc()
        log.warn('dropped a WebSocket client that reads too slowly', { from: address, bufferedBytes: socket.bufferedAmount })
        socket.terminate()
        return false
      }
      socket.send(text)
      return true
    }

    const onMessage = async (data: RawData) => {
      const outbox = createOutbox(send, limits.maxBufferedBytes)
      const context = {
        signal: gone.signal,
        transport: 'ws' as const,
        notify: outbox.notify,
        onClose: (callback: () => void) => {
          if (gone.signal.aborted) callback()
          else closers.add(callback)
        },
      }
      const admit = options.budgets === null ? undefined : (calls: number) => options.budgets?.admit(address, calls) === true
      const { text } = await options.dispatcher.dispatch(String(data), context, admit)
      if (text !== null) send(text)
      outbox.release()
    }

    socket.on('message', (data) => {
      inFlight++
      if (inFlight >= limits.maxMessagesInFlight) socket.pause()
      onMessage(data)
        .catch((error: unknown) => {
          log.error('a WebSocket message failed for an inner reason', { error })
          socket.terminate()
        })
        .finally(() => {
          inFlight--
          if (socket.isPaused && inFlight < limits.maxMessagesInFlight) socket.resume()
        })
    })
    const heartbeat = setInterval(() => {
      if (!alive) return socket.terminate()
      alive = false
      socket.ping()
    }, limits.pingIntervalMs)
    socket.on('pong', () => {
      alive = true
    })
    socket.on('error', (error) => log.debug('a WebSocket connection failed', { from: address, error: error.message }))
    socket.once('close', () => {
      clearInterval(heartbeat)
      gone.abort(new DOMException('the connection is closed', 'AbortError'))
      for (const callback of closers) callback()
      closers.clear()
      connections?.set(server.clients.size)
    })
    connections?.set(server.clients.size)
  }

  return {
    accept(request, socket, head) {
      server.handleUpgrade(request, socket, head, (connection) => {
        if (server.clients.size > limits.maxConnections) {
          connection.close(TRY_AGAIN_LATER, 'too many connections')
          return
        }
        serve(connection, request.socket.remoteAddress ?? 'unknown')
      })
    },
    close() {
      for (const connection of server.clients) connection.close(GOING_AWAY, 'the server is stopping')
      server.close()
    },
    terminate() {
      for (const connection of server.clients) connection.terminate()
    },
  }
}

/** Holds the notifications of a call back until its answer is out: the subscriber must know its id first. */
function createOutbox(send: (text: string) => boolean, maxBytes: number) {
  let waiting: string[] | null = []
  let bytes = 0
  return {
    notify(method: string, params: unknown): boolean {
      const text = JSON.stringify({ jsonrpc: '2.0', method, params })
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
