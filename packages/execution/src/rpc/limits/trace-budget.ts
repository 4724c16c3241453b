import type { TraceBudget } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'
import { rpcError, serverError } from '../errors.ts'

export interface TraceBounds {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface RunningBudget extends TraceBudget {
  stop(): false
  breathe(): Promise<void>
}

const TURN_AFTER_MS = 10

/** Throws RpcError -32000 with `execution timeout`, or when the result is too large. */
export function createTraceBudget(clock: Clock, { timeoutMs, maxBytes, signal }: TraceBounds): RunningBudget {
  const deadlineMs = clock.monotonicMs() + timeoutMs
  let turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
  let bytes = 0
  const look = (): number => {
    signal.throwIfAborted()
    const nowMs = clock.monotonicMs()
    if (nowMs >= deadlineMs) throw rpcError('traceTimeout')
    return nowMs
  }
  return {
    spend(more) {
      bytes += more
      if (bytes > maxBytes) throw serverError(`the trace is larger than ${maxBytes} bytes: use another tracer, or ask for less`)
    },
    stop() {
      look()
      return false
    },
    async breathe() {
      if (look() < turnAtMs) return
      await nextTurn()
      turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
    },
  }
}
