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
  pause(): Promise<void> | null
  stop(): false
  breathe(): Promise<void>
}

const STEPS_BETWEEN_LOOKS = 256
const TURN_AFTER_MS = 10

/** Throws RpcError -32000 with `execution timeout`, or when the result is too large. */
export function createTraceBudget(clock: Clock, { timeoutMs, maxBytes, signal }: TraceBounds): RunningBudget {
  const deadlineMs = clock.monotonicMs() + timeoutMs
  let turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
  let steps = 0
  let bytes = 0
  const look = (): number => {
    signal.throwIfAborted()
    const nowMs = clock.monotonicMs()
    if (nowMs >= deadlineMs) throw rpcError('traceTimeout')
    return nowMs
  }
  const giveWay = () =>
    nextTurn().then(() => {
      turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
    })
  return {
    spend(more) {
      bytes += more
      if (bytes > maxBytes) throw serverError(`the trace is larger than ${maxBytes} bytes: use another tracer, or ask for less`)
    },
    tick: () => undefined,
    pause() {
      if (++steps % STEPS_BETWEEN_LOOKS !== 0) return null
      return look() < turnAtMs ? null : giveWay()
    },
    stop() {
      look()
      return false
    },
    async breathe() {
      if (look() >= turnAtMs) await giveWay()
    },
  }
}
