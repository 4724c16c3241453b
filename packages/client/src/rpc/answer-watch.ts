/** Detects a silent node. An error response counts as an answer. */
import type { Clock } from '@keelson/primitives'
import { ClientError } from '../client-error.ts'
import type { RpcClient } from './rpc-client.ts'

export interface AnswerWatch {
  /** Start of the earliest request since the last answer. */
  readonly unansweredSinceMs: number | null
  track<T>(request: Promise<T>): Promise<T>
}

const NO_ANSWER: ReadonlySet<string> = new Set(['client/unreachable', 'client/timeout', 'client/http-status', 'client/unauthorized'])

export function createAnswerWatch(clock: Clock): AnswerWatch {
  let unansweredSinceMs: number | null = null
  let pending = 0
  let failed = false

  const answered = () => {
    failed = false
    unansweredSinceMs = pending > 0 ? clock.nowMs() : null
  }

  return {
    get unansweredSinceMs() {
      return unansweredSinceMs
    },
    async track(request) {
      pending++
      unansweredSinceMs ??= clock.nowMs()
      try {
        const answer = await request
        pending--
        answered()
        return answer
      } catch (error) {
        pending--
        const code = error instanceof ClientError ? error.code : null
        if (code !== null && NO_ANSWER.has(code)) failed = true
        else if (code !== 'client/aborted') answered()
        else if (pending === 0 && !failed) unansweredSinceMs = null
        throw error
      }
    },
  }
}

export function watchedRpc(rpc: RpcClient, watch: AnswerWatch): RpcClient {
  return {
    get host() {
      return rpc.host
    },
    call: (...args) => watch.track(rpc.call(...args)),
    batch: (...args) => watch.track(rpc.batch(...args)),
    close: () => rpc.close(),
  }
}
