/** Bounds one simulated call in time, and lets others of the same thread have their turn while it runs. */
import type { TransactionTracer } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import { createTraceBudget } from './trace-budget.ts'

/** From when a call begins to run. */
export const CALL_TIMEOUT_MS = 5_000

/** Goes into the simulation as its tracer. There it throws RpcError -32000 `execution timeout`, or the signal's reason. */
export function createCallPacer(clock: Clock, signal: AbortSignal): TransactionTracer {
  const budget = createTraceBudget(clock, { timeoutMs: CALL_TIMEOUT_MS, maxBytes: Number.MAX_SAFE_INTEGER, signal })
  return { hooks: { pause: () => budget.pause() }, start: () => undefined, end: () => undefined, result: () => null }
}
