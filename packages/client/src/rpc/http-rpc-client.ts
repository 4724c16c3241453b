/** Batches shrink to the size that the node accepts. */
import { type Clock, type Logger, NodeError, type Random } from '@keelson/primitives'
import {
  createHttpClient,
  createTokenBucket,
  type HttpClient,
  HttpClientError,
  type Metrics,
  type TokenBucketOptions,
} from '@keelson/runtime'
import { ClientError, isTemporary, RpcResponseError } from '../client-error.ts'
import { parseAnswer, parseBatchAnswer } from './answer.ts'
import { type AnswerLimit, answerLimitOf, sumOfLimits } from './answer-limit.ts'
import { aborted, type RetryPolicy, retrying } from './retry.ts'
import type { RpcCall, RpcCallOptions, RpcClient, RpcOutcome } from './rpc-client.ts'

export interface HttpRpcClientOptions {
  readonly url: string
  /** Timeout of one attempt. */
  readonly timeoutMs?: number
  /** Applies in addition to the method's limit. */
  readonly maxResponseBytes?: number
  readonly retry?: Partial<RetryPolicy>
  readonly maxBatchCalls?: number
  /** In calls per second. */
  readonly rateLimit?: TokenBucketOptions
  readonly maxSockets?: number
  readonly headers?: () => Promise<Readonly<Record<string, string>>>
  /** Called for each call, also in batches and retries. */
  readonly onRequest?: (method: string) => void
}

export interface HttpRpcClientDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics?: Metrics
  /** Default: the network of this machine. */
  readonly http?: HttpClient
}

const DEFAULT_TIMEOUT_MS = 15_000
const DEFAULT_MAX_BATCH_CALLS = 50
export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, baseDelayMs: 250, maxDelayMs: 8000 }

export function createHttpRpcClient(options: HttpRpcClientOptions, dependencies: HttpRpcClientDependencies): RpcClient {
  const { clock, random, metrics } = dependencies
  const host = new URL(options.url).host
  const http = dependencies.http ?? createHttpClient({ maxSockets: options.maxSockets ?? 16 })
  const bucket = options.rateLimit === undefined ? null : createTokenBucket(options.rateLimit, clock)
  const policy: RetryPolicy = { ...DEFAULT_RETRY, ...options.retry }
  const requests = metrics?.counter('rpc_client_requests_total', 'Calls made to other nodes, by method and outcome', ['method', 'outcome'])
  let maxBatchCalls = options.maxBatchCalls ?? DEFAULT_MAX_BATCH_CALLS
  let nextId = 1

  const post = async (body: string, calls: number, limit: AnswerLimit, callOptions: RpcCallOptions): Promise<unknown> => {
    const { signal } = callOptions
    await bucket?.take(calls, signal).catch((error: unknown) => {
      throw aborted(error)
    })
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...(await options.headers?.()) }
    try {
      const response = await http.send({
        url: options.url,
        method: 'POST',
        headers,
        body,
        timeoutMs: callOptions.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        maxResponseBytes: Math.min(options.maxResponseBytes ?? limit.maxBytes, limit.maxBytes),
        ...(signal === undefined ? {} : { signal }),
      })
      return parseAnswer(host, response, limit.maxStructure)
    } catch (error) {
      throw error instanceof HttpClientError ? transportError(host, error) : error
    }
  }

  const attempt = async ({ method, params }: RpcCall, callOptions: RpcCallOptions): Promise<unknown> => {
    const id = nextId++
    options.onRequest?.(method)
    try {
      const limit = callOptions.limit ?? answerLimitOf(method, params)
      const answer = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), 1, limit, callOptions)
      const [outcome] = parseBatchAnswer(host, [answer], [{ method, params }], id)
      if (outcome?.ok !== true) throw outcome?.error
      requests?.inc(1, { method, outcome: 'ok' })
      return outcome.result
    } catch (error) {
      requests?.inc(1, { method, outcome: error instanceof NodeError ? error.code : 'error' })
      throw error
    }
  }

  const call: RpcClient['call'] = (method, params, callOptions = {}) => {
    const once = () => attempt({ method, params }, callOptions)
    return callOptions.retry === false ? once() : retrying(once, policy, { clock, random }, callOptions.signal)
  }

  /** Returns null when the node refuses batches of this size. */
  const attemptBatch = async (calls: readonly RpcCall[], callOptions: RpcCallOptions): Promise<readonly RpcOutcome[] | null> => {
    const firstId = nextId
    nextId += calls.length
    const body = JSON.stringify(calls.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params })))
    for (const { method } of calls) options.onRequest?.(method)
    try {
      const limit = callOptions.limit ?? sumOfLimits(calls.map(({ method, params }) => answerLimitOf(method, params)))
      const answer = await post(body, calls.length, limit, callOptions)
      if (Array.isArray(answer)) return noteBatch(parseBatchAnswer(host, answer, calls, firstId), calls)
      const [outcome] = parseBatchAnswer(
        host,
        [answer],
        [{ method: 'batch', params: [] }],
        (answer as { id?: number | null }).id ?? firstId,
      )
      // One error for the whole batch means that batches are disabled or this one is too large, unless it is a rate limit.
      if (outcome?.ok === false && isTemporary(outcome.error) && outcome.error instanceof RpcResponseError) throw outcome.error
      return null
    } catch (error) {
      if (error instanceof ClientError && isTooLarge(error)) return null
      throw error
    }
  }

  const noteBatch = (outcomes: readonly RpcOutcome[], calls: readonly RpcCall[]): readonly RpcOutcome[] => {
    for (const [i, outcome] of outcomes.entries()) {
      const code = outcome.ok ? 'ok' : outcome.error instanceof NodeError ? outcome.error.code : 'error'
      requests?.inc(1, { method: calls[i]?.method ?? '', outcome: code })
    }
    return outcomes
  }

  const batchPart = async (calls: readonly RpcCall[], callOptions: RpcCallOptions): Promise<readonly RpcOutcome[]> => {
    if (calls.length > 1) {
      const outcomes = await retrying(() => attemptBatch(calls, callOptions), policy, { clock, random }, callOptions.signal)
      if (outcomes !== null) return Promise.all(outcomes.map((outcome, i) => askAgain(outcome, calls[i] as RpcCall, callOptions)))
      maxBatchCalls = Math.max(1, Math.floor(calls.length / 2))
      dependencies.log.info('the node refuses batches of this size; smaller ones from now on', {
        host,
        size: calls.length,
        next: maxBatchCalls,
      })
      return batch(calls, callOptions)
    }
    return Promise.all(calls.map(({ method, params }) => settle(call(method, params, callOptions))))
  }

  const askAgain = (outcome: RpcOutcome, { method, params }: RpcCall, callOptions: RpcCallOptions): RpcOutcome | Promise<RpcOutcome> => {
    const temporary = !outcome.ok && outcome.error instanceof ClientError && outcome.error.severity === 'temporary'
    return temporary && callOptions.retry !== false ? settle(call(method, params, callOptions)) : outcome
  }

  const batch = async (calls: readonly RpcCall[], callOptions: RpcCallOptions = {}): Promise<readonly RpcOutcome[]> => {
    const outcomes: RpcOutcome[] = []
    while (outcomes.length < calls.length) {
      outcomes.push(...(await batchPart(calls.slice(outcomes.length, outcomes.length + maxBatchCalls), callOptions)))
    }
    return outcomes
  }

  return { host, call, batch, close: () => http.close() }
}

function isTooLarge(error: ClientError): boolean {
  return (
    error.code === 'client/too-large' ||
    (error.code === 'client/http-status' && (error.details.status === 413 || /batch/i.test(error.message)))
  )
}

function settle(result: Promise<unknown>): Promise<RpcOutcome> {
  return result.then(
    (value) => ({ ok: true, result: value }),
    (error: unknown) => ({ ok: false, error: error instanceof Error ? error : new Error(String(error)) }),
  )
}

const CODE_OF_FAILURE = {
  unreachable: 'client/unreachable',
  timeout: 'client/timeout',
  aborted: 'client/aborted',
  'too-large': 'client/too-large',
} as const

export function transportError(host: string, error: HttpClientError): ClientError {
  return new ClientError(CODE_OF_FAILURE[error.reason], 'temporary', error.message, { host }, { cause: error })
}
