import type { AnswerLimit } from './answer-limit.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface RpcCallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** False makes one attempt, for calls that are not idempotent. */
  readonly retry?: boolean
  /** Limit on the answers of a call or batch. Default: by method. */
  readonly limit?: AnswerLimit
}

export type RpcOutcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: Error }

export interface RpcClient {
  /** Safe to log, unlike the URL. */
  readonly host: string
  /** Throws ClientError; RpcResponseError for an error response. */
  call(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<unknown>
  /** Returns outcomes in order. Throws when the whole batch failed. */
  batch(calls: readonly RpcCall[], options?: RpcCallOptions): Promise<readonly RpcOutcome[]>
  close(): void
}
