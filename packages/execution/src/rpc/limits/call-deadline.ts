import type { TransactionTracer } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import { createTraceBudget } from './trace-budget.ts'

export const CALL_TIMEOUT_MS = 5_000

/** The tracer throws RpcError -32000 `execution timeout`, or the signal's reason. */
export function createCallDeadline(clock: Clock, signal: AbortSignal): TransactionTracer {
  const budget = createTraceBudget(clock, { timeoutMs: CALL_TIMEOUT_MS, maxBytes: Number.MAX_SAFE_INTEGER, signal })
  return {
    hooks: { stop: () => budget.stop() },
    start: () => undefined,
    end: () => undefined,
    result: () => null,
  }
}
