import type { AnswerLimit } from './answer-limit.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface RpcCallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Set to false for calls that are not idempotent; they are attempted once. */
  readonly retry?: boolean
  /** Limit on the answer of the call or batch. Default: the methods' limits. */
  readonly limit?: AnswerLimit
}

export type RpcOutcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: Error }

export interface RpcClient {
  /** Safe to log, unlike the URL. */
  readonly host: string
  /** Throws ClientError; RpcResponseError for an error response. */
  call(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<unknown>
  /** Returns outcomes in the order of `calls`. Throws when the whole batch fails. */
  batch(calls: readonly RpcCall[], options?: RpcCallOptions): Promise<readonly RpcOutcome[]>
  close(): void
}
