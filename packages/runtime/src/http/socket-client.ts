/** Reconnects with exponential, jittered delays. */
import type { Clock, Random } from '@keelson/primitives'
import { WebSocket } from 'ws'
import { backoffMs, pollLoop } from '../async/poll-loop.ts'
import { watchSilence } from './socket-heartbeat.ts'

export interface SocketClientOptions {
  readonly url: string
  readonly maxMessageBytes?: number
  /** The connection is closed after two intervals without a response. */
  readonly pingIntervalMs?: number
  readonly connectTimeoutMs?: number
}

export interface SocketClientHandlers {
  onOpen(): void
  onMessage(text: string): void
  /** The reason omits the URL's path. */
  onDown(reason: string): void
}

export interface SocketClient {
  readonly host: string
  readonly open: boolean
  send(text: string): boolean
  close(): void
}

const RECONNECT = { firstMs: 500, longestMs: 30_000 }

export function createSocketClient(
  options: SocketClientOptions,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  handlers: SocketClientHandlers,
): SocketClient {
  const url = new URL(options.url)
  const stopping = new AbortController()
  const { signal } = stopping
  const pingIntervalMs = options.pingIntervalMs ?? 15_000
  let socket: WebSocket | null = null
  let failures = 0

  function connect(): Promise<string> {
    const connection = new WebSocket(options.url, {
      maxPayload: options.maxMessageBytes ?? 128 * 1024 * 1024,
      handshakeTimeout: options.connectTimeoutMs ?? 10_000,
      ...credentials(url),
    })
    socket = connection
    let reason = 'the connection was closed'
    return new Promise((resolve) => {
      connection.on('open', () => {
        failures = 0
        handlers.onOpen()
        watchSilence(connection, pingIntervalMs, clock, () => {
          reason = `no data received for ${2 * pingIntervalMs} ms`
          connection.terminate()
        })
      })
      connection.on('message', (data) => handlers.onMessage(String(data)))
      connection.on('error', (error: NodeJS.ErrnoException) => {
        reason = error.code ?? error.message
      })
      connection.on('close', () => {
        if (socket === connection) socket = null
        resolve(reason)
      })
      if (signal.aborted) connection.terminate()
    })
  }

  async function keepUp(): Promise<void> {
    const reason = await connect()
    if (!signal.aborted) handlers.onDown(reason)
  }
  void pollLoop(keepUp, { clock, signal, intervalMs: () => backoffMs(RECONNECT, failures++) * (0.5 + random.next() / 2) })

  return {
    host: url.host,
    get open() {
      return socket?.readyState === WebSocket.OPEN
    },
    send(text) {
      if (socket?.readyState !== WebSocket.OPEN) return false
      socket.send(text)
      return true
    },
    close() {
      stopping.abort()
      socket?.terminate()
    },
  }
}

/** Separate, because ws would show URL credentials in errors. */
function credentials({ username, password }: URL): { readonly auth?: string } {
  return username === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }
}
