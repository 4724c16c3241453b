/** JSON-RPC over a WebSocket that is kept up, with subscriptions that are made again on each new connection. */
import { type Clock, type Logger, messageOf, type Random } from '@keelson/primitives'
import { createSocketClient, createTokenBucket, type Metrics, type TokenBucketOptions } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import { assertStructure, parseBatchAnswer } from './answer.ts'
import { type AnswerLimit, answerLimitOf, HEADER_LIMIT } from './answer-limit.ts'
import { aborted, type RetryPolicy, retrying } from './retry.ts'
import type { RpcCallOptions, RpcClient, RpcOutcome } from './rpc-client.ts'

export interface WsRpcClientOptions {
  readonly url: string
  readonly timeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  readonly rateLimit?: TokenBucketOptions
  readonly onRequest?: (method: string) => void
  readonly pingIntervalMs?: number
}

export interface WsRpcClient extends RpcClient {
  /** `onEvent` is called with what the node sends, until the client is closed. One subscription for each name. */
  subscribe(name: string, onEvent: (result: unknown) => void): void
  /** Every subscription stands: events come by themselves. */
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

export function createWsRpcClient(
  options: WsRpcClientOptions,
  deps: { readonly clock: Clock; readonly random: Random; readonly log: Logger; readonly metrics?: Metrics },
): WsRpcClient {
  const { clock, random, log } = deps
  const policy: RetryPolicy = { ...DEFAULT_RETRY, ...options.retry }
  const bucket = options.rateLimit === undefined ? null : createTokenBucket(options.rateLimit, clock)
  const requests = deps.metrics?.counter('rpc_client_requests_total', 'Calls made to other nodes, by method and outcome', [
    'method',
    'outcome',
  ])
  const pending = new Map<number, Pending>()
  const handlers = new Map<string, (result: unknown) => void>()
  /** Subscription id of the node -> name; of this connection only. */
  const standing = new Map<unknown, string>()
  const openers: (() => void)[] = []
  let nextId = 1
  let downSaid = false

  const socket = createSocketClient(
    { url: options.url, ...(options.pingIntervalMs === undefined ? {} : { pingIntervalMs: options.pingIntervalMs }) },
    { clock, random },
    {
      onOpen() {
        if (downSaid) log.info('WebSocket is up again', { host: socket.host })
        downSaid = false
        for (const open of openers.splice(0)) open()
        for (const name of handlers.keys()) void makeSubscription(name)
      },
      onMessage,
      onDown(reason) {
        if (!downSaid) log.warn('WebSocket is down; it is made again', { host: socket.host, reason })
        downSaid = true
        standing.clear()
        const error = new ClientError('client/unreachable', 'temporary', `${socket.host} cannot be reached (${reason})`, {
          host: socket.host,
        })
        for (const { settle } of [...pending.values()]) settle({ ok: false, error })
        for (const open of openers.splice(0)) open()
      },
    },
  )

  /**
   * Before a message is parsed, the request that it answers is unknown. It may be as large as the largest pending answer, or
   * as a header notification. When it is larger, all pending requests fail.
   */
  function isTooLarge(text: string): boolean {
    const limits = [HEADER_LIMIT, ...[...pending.values()].map(({ limit }) => limit)]
    try {
      const maxBytes = Math.max(...limits.map((limit) => limit.maxBytes))
      if (text.length > maxBytes)
        throw new ClientError('client/too-large', 'temporary', `a message of ${socket.host} is larger than ${maxBytes} bytes`)
      assertStructure(socket.host, text, Math.max(...limits.map((limit) => limit.maxStructure)))
      return false
    } catch (error) {
      for (const { settle } of [...pending.values()]) settle({ ok: false, error: error as ClientError })
      return true
    }
  }

  function onMessage(text: string): void {
    if (isTooLarge(text)) return
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return
    }
    for (const part of Array.isArray(message) ? message : [message]) take(part)
  }

  function take(message: { id?: unknown; method?: unknown; params?: { subscription?: unknown; result?: unknown } } | null): void {
    if (typeof message !== 'object' || message === null) return
    if (message.method === 'eth_subscription') {
      const name = standing.get(message.params?.subscription)
      if (name !== undefined) handlers.get(name)?.(message.params?.result)
      return
    }
    const call = pending.get(message.id as number)
    const [outcome] =
      call === undefined ? [] : parseBatchAnswer(socket.host, [message], [{ method: call.method, params: [] }], message.id as number)
    if (outcome !== undefined) call?.settle(outcome)
  }

  async function makeSubscription(name: string): Promise<void> {
    try {
      standing.set(await attempt('eth_subscribe', [name], {}), name)
    } catch (error) {
      log.warn('the node does not take the subscription; it is asked at intervals instead', {
        host: socket.host,
        subscription: name,
        reason: messageOf(error),
      })
    }
  }

  async function attempt(method: string, params: readonly unknown[], callOptions: RpcCallOptions): Promise<unknown> {
    const outcome = await ask(method, params, callOptions)
    const code = outcome.ok ? 'ok' : outcome.error instanceof ClientError ? outcome.error.code : 'error'
    requests?.inc(1, { method, outcome: code })
    if (!outcome.ok) throw outcome.error
    return outcome.result
  }

  async function ask(method: string, params: readonly unknown[], { signal, timeoutMs, limit }: RpcCallOptions): Promise<RpcOutcome> {
    await bucket?.take(1, signal).catch((error: unknown) => {
      throw aborted(error)
    })
    if (pending.size >= MAX_PENDING) return failed('client/rate-limited', `${MAX_PENDING} requests wait for ${socket.host} already`)
    const over = new AbortController()
    const limitMs = timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const id = nextId++
    const answered = new Promise<RpcOutcome>((settle) => pending.set(id, { method, limit: limit ?? answerLimitOf(method, params), settle }))
    const late = clock.sleep(limitMs, over.signal).then(
      () => failed('client/timeout', `no answer from ${socket.host} within ${limitMs} ms`),
      () => failed('client/aborted', `the request to ${socket.host} was given up`),
    )
    const gone = new Promise<RpcOutcome>((settle) => {
      signal?.addEventListener('abort', () => settle(failed('client/aborted', `the request to ${socket.host} was given up`)), {
        once: true,
        signal: over.signal,
      })
    })
    const sent = async (): Promise<RpcOutcome> => {
      if (signal?.aborted) return failed('client/aborted', `the request to ${socket.host} was given up`)
      if (!socket.open) await new Promise<void>((open) => openers.push(open))
      if (over.signal.aborted) return late
      options.onRequest?.(method)
      if (socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))) return answered
      return failed('client/unreachable', `${socket.host} cannot be reached (no connection)`)
    }
    try {
      return await Promise.race([sent(), late, gone, answered])
    } finally {
      pending.delete(id)
      over.abort()
    }
  }

  function failed(code: 'client/timeout' | 'client/aborted' | 'client/unreachable' | 'client/rate-limited', message: string): RpcOutcome {
    return { ok: false, error: new ClientError(code, 'temporary', message, { host: socket.host }) }
  }

  const call: RpcClient['call'] = (method, params, callOptions = {}) => {
    const once = () => attempt(method, params, callOptions)
    return callOptions.retry === false ? once() : retrying(once, policy, { clock, random }, callOptions.signal)
  }
  return {
    host: socket.host,
    call,
    // one message each: they share the connection, and no limit of batches is met
    batch: (calls, callOptions) =>
      Promise.all(
        calls.map(({ method, params }) =>
          call(method, params, callOptions).then(
            (result): RpcOutcome => ({ ok: true, result }),
            (error: unknown): RpcOutcome => ({ ok: false, error: error instanceof Error ? error : new Error(String(error)) }),
          ),
        ),
      ),
    subscribe(name, onEvent) {
      handlers.set(name, onEvent)
      if (socket.open) void makeSubscription(name)
    },
    get subscribed() {
      return handlers.size > 0 && standing.size === handlers.size && socket.open
    },
    close() {
      socket.close()
    },
  }
}
