import { setMaxListeners } from 'node:events'
import type { Logger } from '@keelson/primitives'
import type { RawData, WebSocket } from 'ws'
import type { ByteBudget } from '../http/byte-budget.ts'
import type { LogThrottle } from '../log-throttle.ts'
import type { CounterMetric } from '../metrics.ts'
import type { ClientBudgets } from './access/client-budgets.ts'
import { limitedClient, type RequestOrigin, type RpcAccess } from './access/rpc-access.ts'
import type { Dispatcher } from './dispatch.ts'
import { createOutbox } from './outbox.ts'
import type { SocketLimits } from './socket-limits.ts'

export interface ConnectionContext {
  readonly dispatcher: Dispatcher
  readonly limits: SocketLimits
  readonly maxResponseBytes: number
  readonly access: RpcAccess | null
  readonly memory: ByteBudget
  readonly log: Logger
  readonly throttle: LogThrottle
  readonly refusals: ClientBudgets
  readonly dropped: CounterMetric | undefined
}

const POLICY_VIOLATION = 1008
/** Refusals at the rate limit parse the message for its id, without charge; too many refusals close the connection. */
const REFUSALS = { perSec: 10, burst: 200 }
/** Several, because calls already read may have large responses. */
const MAX_WAITING_ANSWERS = 4
const PAUSE_FROM_BYTES = 1024 * 1024

export function serveConnection(socket: WebSocket, origin: RequestOrigin, context: ConnectionContext): void {
  new SocketConnection(socket, origin, context).serve()
}

class SocketConnection {
  readonly #socket: WebSocket
  readonly #origin: RequestOrigin
  readonly #context: ConnectionContext
  /** Whose share of the memory the answers use. */
  readonly #client: string | null
  readonly #gone = new AbortController()
  readonly #closers = new Set<() => void>()
  #inFlight = 0
  #alive = true
  #heldBytes = 0

  constructor(socket: WebSocket, origin: RequestOrigin, context: ConnectionContext) {
    this.#socket = socket
    this.#origin = origin
    this.#context = context
    const entry = context.access?.identify(origin)
    this.#client = limitedClient(entry?.ok === true ? entry.caller : undefined)
    // Every running call adds a listener.
    setMaxListeners(0, this.#gone.signal)
  }

  serve(): void {
    const socket = this.#socket
    const { limits, log } = this.#context
    socket.on('message', (data) => this.#receive(data))
    const heartbeat = setInterval(() => this.#checkAlive(), limits.pingIntervalMs)
    socket.on('pong', () => {
      this.#alive = true
    })
    socket.on('error', (error) => log.debug('WebSocket connection failed', { error: error.message }))
    socket.once('close', () => {
      clearInterval(heartbeat)
      this.#close()
    })
  }

  #receive(data: RawData): void {
    this.#alive = true
    this.#inFlight++
    this.#pace()
    this.#answer(String(data))
      .catch((error: unknown) => {
        this.#context.log.error('WebSocket message failed with an internal error', { error })
        this.#socket.terminate()
      })
      .finally(() => {
        this.#inFlight--
        this.#pace()
      })
  }

  async #answer(message: string): Promise<void> {
    const socket = this.#socket
    const { access, dispatcher, limits, maxResponseBytes, refusals } = this.#context
    if (socket.readyState !== socket.OPEN) return
    const push = (text: string) => this.#send(text, limits.maxBufferedBytes)
    const outbox = createOutbox(push, limits.maxBufferedBytes)
    const context = {
      signal: this.#gone.signal,
      transport: 'ws' as const,
      connection: socket,
      notify: outbox.notify,
      push,
      disconnect: (reason: string) => this.#drop(reason),
      onClose: (callback: () => void) => {
        if (this.#gone.signal.aborted) callback()
        else this.#closers.add(callback)
      },
    }
    // The key may have been revoked.
    const entry = access?.identify(this.#origin)
    if (entry?.ok === false) return socket.close(POLICY_VIOLATION, entry.message)
    const { text, waitMs } = await dispatcher.dispatch(message, context, entry?.caller)
    if (waitMs !== null && entry !== undefined && refusals.take(entry.caller.client, REFUSALS, 1) > 0)
      return socket.close(POLICY_VIOLATION, 'too many requests above the rate limit; wait before reconnecting')
    if (text !== null) this.#send(text, MAX_WAITING_ANSWERS * maxResponseBytes)
    outbox.release()
  }

  #send(text: string, maxWaitingBytes: number): boolean {
    const socket = this.#socket
    const { memory } = this.#context
    if (socket.readyState !== socket.OPEN) return false
    if (socket.bufferedAmount + text.length > maxWaitingBytes) {
      this.#drop(`the client reads too slowly: more than ${maxWaitingBytes} bytes are queued`)
      return false
    }
    if (!memory.tryTake(text.length, this.#client)) {
      this.#drop('too many large requests and responses in progress; retry later')
      return false
    }
    this.#heldBytes += text.length
    socket.send(text, () => {
      // The bytes were released when the connection closed.
      if (this.#gone.signal.aborted) return
      this.#heldBytes -= text.length
      memory.release(text.length, this.#client)
      this.#alive = true
      this.#pace()
    })
    return true
  }

  get #isBusy(): boolean {
    return this.#inFlight >= this.#context.limits.maxMessagesInFlight
  }

  #pace(): void {
    const socket = this.#socket
    const isFull = this.#isBusy || socket.bufferedAmount > PAUSE_FROM_BYTES
    if (isFull && !socket.isPaused) socket.pause()
    else if (!isFull && socket.isPaused) socket.resume()
  }

  #checkAlive(): void {
    // A paused socket receives no pong, so it counts as alive.
    if (!this.#alive && !this.#isBusy) {
      this.#socket.terminate()
      return
    }
    this.#alive = false
    this.#socket.ping()
  }

  #drop(reason: string): void {
    const { dropped, throttle, log } = this.#context
    dropped?.inc()
    throttle((suppressed) => log.warn('dropped a WebSocket client', { reason, bufferedBytes: this.#socket.bufferedAmount, suppressed }))
    this.#socket.close(POLICY_VIOLATION, reason)
  }

  #close(): void {
    this.#gone.abort(new DOMException('the connection is closed', 'AbortError'))
    for (const callback of this.#closers) callback()
    this.#closers.clear()
    this.#context.memory.release(this.#heldBytes, this.#client)
  }
}
