/** Asking a JSON-RPC node: one call, or many in a batch. Errors are ClientError with a severity. */
import type { AnswerLimit } from './answer-limit.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface RpcCallOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** False: exactly one attempt, for calls that must not be repeated or whose caller repeats them. */
  readonly retry?: boolean
  /** Limit on the answer, for a batch on all answers together; default: by method, see answer-limit.ts. */
  readonly limit?: AnswerLimit
}

export type RpcOutcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: Error }

export interface RpcClient {
  /** Host and port: what may be printed of a URL that can hold a key. */
  readonly host: string
  /** The result as JSON. Throws ClientError, of it RpcResponseError when the node answered with an error. */
  call(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<unknown>
  /** Outcomes in the order of the calls. Throws only when the whole batch could not be asked. */
  batch(calls: readonly RpcCall[], options?: RpcCallOptions): Promise<readonly RpcOutcome[]>
  close(): void
}
