/** JSON-RPC over a WebSocket that reconnects and then subscribes again. */
import { type Clock, type Logger, messageOf, type Random } from '@keelson/primitives'
import {
  type CounterMetric,
  createSocketClient,
  createTokenBucket,
  type Metrics,
  type SocketClient,
  type TokenBucket,
  type TokenBucketOptions,
  withDeadline,
} from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import { assertStructure, parseBatchAnswer } from './answer.ts'
import { type AnswerLimit, answerLimitOf, HEADER_LIMIT } from './answer-limit.ts'
import { aborted, type RetryPolicy, retrying } from './retry.ts'
import type { RpcCall, RpcCallOptions, RpcClient, RpcOutcome } from './rpc-client.ts'

export interface WsRpcClientOptions {
  readonly url: string
  readonly timeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  readonly rateLimit?: TokenBucketOptions
  readonly onRequest?: (method: string) => void
  readonly pingIntervalMs?: number
}

export interface WsRpcClient extends RpcClient {
  /** One subscription per name, until the client is closed. */
  subscribe(name: string, onEvent: (result: unknown) => void): void
  readonly subscribed: boolean
}

interface Pending {
  readonly method: string
  readonly limit: AnswerLimit
  settle(outcome: RpcOutcome): void
}

const DEFAULT_TIMEOUT_MS = 15_000
const DEFAULT_RETRY: RetryPolicy = { attempts: 4, baseDelayMs: 250, maxDelayMs: 8000 }
const MAX_PENDING = 1_000

export interface WsRpcClientDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown }
}

export function createWsRpcClient(options: WsRpcClientOptions, deps: WsRpcClientDependencies): WsRpcClient {
  return new SocketRpcClient(options, deps)
}

class SocketRpcClient implements WsRpcClient {
  readonly #options: WsRpcClientOptions
  readonly #deps: WsRpcClientDependencies
  readonly #policy: RetryPolicy
  readonly #bucket: TokenBucket | null
  readonly #requests: CounterMetric | undefined
  readonly #socket: SocketClient
  readonly #pending = new Map<number, Pending>()
  readonly #handlers = new Map<string, (result: unknown) => void>()
  readonly #subscriptions = new Map<unknown, string>()
  readonly #openers: (() => void)[] = []
  #nextId = 1
  #downLogged = false

  constructor(options: WsRpcClientOptions, deps: WsRpcClientDependencies) {
    const { url, pingIntervalMs, rateLimit } = options
    this.#options = options
    this.#deps = deps
    this.#policy = { ...DEFAULT_RETRY, ...options.retry }
    this.#bucket = rateLimit === undefined ? null : createTokenBucket(rateLimit, deps.clock)
    this.#requests = deps.metrics?.counter('rpc_client_requests_total', 'Calls made to other nodes, by method and outcome', [
      'method',
      'outcome',
    ])
    this.#socket = createSocketClient({ url, ...(pingIntervalMs === undefined ? {} : { pingIntervalMs }) }, deps, {
      onOpen: () => this.#onOpen(),
      onMessage: (text) => this.#onMessage(text),
      onDown: (reason) => this.#onDown(reason),
    })
  }

  get host(): string {
    return this.#socket.host
  }

  get subscribed(): boolean {
    return this.#handlers.size > 0 && this.#subscriptions.size === this.#handlers.size && this.#socket.open
  }

  call(method: string, params: readonly unknown[], callOptions: RpcCallOptions = {}): Promise<unknown> {
    const once = () => this.#attempt(method, params, callOptions)
    return callOptions.retry === false ? once() : retrying(once, this.#policy, this.#deps, callOptions.signal)
  }

  batch(calls: readonly RpcCall[], callOptions?: RpcCallOptions): Promise<readonly RpcOutcome[]> {
    return Promise.all(
      calls.map(({ method, params }) =>
        this.call(method, params, callOptions).then(
          (result): RpcOutcome => ({ ok: true, result }),
          (error: unknown): RpcOutcome => ({ ok: false, error: error instanceof Error ? error : new Error(String(error)) }),
        ),
      ),
    )
  }

  subscribe(name: string, onEvent: (result: unknown) => void): void {
    this.#handlers.set(name, onEvent)
    if (this.#socket.open) void this.#subscribe(name)
  }

  close(): void {
    this.#socket.close()
  }

  #onOpen(): void {
    if (this.#downLogged) this.#deps.log.info('WebSocket reconnected', { host: this.host })
    this.#downLogged = false
    this.#wakeOpeners()
    for (const name of this.#handlers.keys()) void this.#subscribe(name)
  }

  #onDown(reason: string): void {
    if (!this.#downLogged) this.#deps.log.warn('WebSocket is down, reconnecting', { host: this.host, reason })
    this.#downLogged = true
    this.#subscriptions.clear()
    const outcome = this.#failed('client/unreachable', `${this.host} cannot be reached (${reason})`)
    for (const { settle } of [...this.#pending.values()]) settle(outcome)
    this.#wakeOpeners()
  }

  #wakeOpeners(): void {
    for (const open of this.#openers.splice(0)) open()
  }

  /**
   * Before parsing, it is unknown which request the message answers, so the largest pending limit applies, at least a header's.
   */
  #isTooLarge(text: string): boolean {
    const pending = [...this.#pending.values()]
    const limits = [HEADER_LIMIT, ...pending.map(({ limit }) => limit)]
    try {
      const maxBytes = Math.max(...limits.map((limit) => limit.maxBytes))
      if (text.length > maxBytes)
        throw new ClientError('client/too-large', 'temporary', `a message of ${this.host} is larger than ${maxBytes} bytes`)
      assertStructure(this.host, text, Math.max(...limits.map((limit) => limit.maxStructure)))
      return false
    } catch (error) {
      for (const { settle } of pending) settle({ ok: false, error: error as ClientError })
      return true
    }
  }

  #onMessage(text: string): void {
    if (this.#isTooLarge(text)) return
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return
    }
    for (const part of Array.isArray(message) ? message : [message]) this.#take(part)
  }

  #take(message: Message | null): void {
    if (typeof message !== 'object' || message === null) return
    if (message.method === 'eth_subscription') {
      const name = this.#subscriptions.get(message.params?.subscription)
      if (name !== undefined) this.#handlers.get(name)?.(message.params?.result)
      return
    }
    const id = message.id as number
    const call = this.#pending.get(id)
    if (call === undefined) return
    const [outcome] = parseBatchAnswer(this.host, [message], [{ method: call.method, params: [] }], id)
    if (outcome !== undefined) call.settle(outcome)
  }

  async #subscribe(name: string): Promise<void> {
    try {
      this.#subscriptions.set(await this.#attempt('eth_subscribe', [name], {}), name)
    } catch (error) {
      this.#deps.log.warn('the node refused the subscription; polling instead', {
        host: this.host,
        subscription: name,
        reason: messageOf(error),
      })
    }
  }

  async #attempt(method: string, params: readonly unknown[], callOptions: RpcCallOptions): Promise<unknown> {
    const outcome = await this.#ask(method, params, callOptions)
    const code = outcome.ok ? 'ok' : outcome.error instanceof ClientError ? outcome.error.code : 'error'
    this.#requests?.inc(1, { method, outcome: code })
    if (!outcome.ok) throw outcome.error
    return outcome.result
  }

  async #ask(method: string, params: readonly unknown[], { signal, timeoutMs, limit }: RpcCallOptions): Promise<RpcOutcome> {
    await this.#bucket?.take(1, signal).catch((error: unknown) => {
      throw aborted(error)
    })
    if (this.#pending.size >= MAX_PENDING) {
      return this.#failed('client/rate-limited', `${MAX_PENDING} requests wait for ${this.host} already`)
    }
    const id = this.#nextId++
    const answered = new Promise<RpcOutcome>((settle) =>
      this.#pending.set(id, { method, limit: limit ?? answerLimitOf(method, params), settle }),
    )
    const ms = timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const onTimeout = () => this.#failed('client/timeout', `no answer from ${this.host} within ${ms} ms`)
    const send = async (over: AbortSignal): Promise<RpcOutcome> => {
      if (!this.#socket.open) await new Promise<void>((open) => this.#openers.push(open))
      if (over.aborted) return answered
      this.#options.onRequest?.(method)
      if (this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))) return answered
      return this.#failed('client/unreachable', `${this.host} cannot be reached (no connection)`)
    }
    try {
      // If the connection breaks before the call is sent, `answered` settles first.
      const work = (over: AbortSignal) => Promise.race([send(over), answered])
      return await withDeadline(work, { clock: this.#deps.clock, ms, onTimeout, ...(signal === undefined ? {} : { signal }) })
    } catch (error) {
      if (signal?.aborted) return this.#failed('client/aborted', `the request to ${this.host} was cancelled`)
      throw error
    } finally {
      this.#pending.delete(id)
    }
  }

  #failed(code: 'client/timeout' | 'client/aborted' | 'client/unreachable' | 'client/rate-limited', message: string): RpcOutcome {
    return { ok: false, error: new ClientError(code, 'temporary', message, { host: this.host }) }
  }
}
