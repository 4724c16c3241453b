/**
 * Simulated calls share the main thread with block production, so few run at once, the others wait in
 * line, each lets the event loop turn while it runs, and none runs for ever.
 */
import type { TransactionTracer } from '@keelson/evm'
import type { Clock } from '@keelson/primitives'
import { serverError } from './errors.ts'
import { createTraceBudget } from './trace-budget.ts'

export interface CallGateOptions {
  readonly maxRunning: number
  /** More are refused at once. */
  readonly maxWaiting: number
  /** From when a call begins to run. */
  readonly timeoutMs: number
}

export const DEFAULT_CALL_GATE: CallGateOptions = { maxRunning: 2, maxWaiting: 1_000, timeoutMs: 5_000 }

export interface CallGate {
  /** Runs when it is this call's turn; `pacer` goes into the simulation. Throws RpcError -32000 `execution timeout`, or that too many wait. */
  run<T>(signal: AbortSignal, call: (pacer: TransactionTracer) => Promise<T>): Promise<T>
}

export function createCallGate(clock: Clock, options: CallGateOptions = DEFAULT_CALL_GATE): CallGate {
  const waiting: (() => void)[] = []
  let running = 0

  function enter(): Promise<void> | null {
    if (running < options.maxRunning) {
      running++
      return null
    }
    if (waiting.length >= options.maxWaiting) throw serverError('too many calls are waiting; try again later')
    // whoever leaves hands its place on
    return new Promise((resolve) => waiting.push(resolve))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }

  return {
    async run(signal, call) {
      await enter()
      try {
        signal.throwIfAborted()
        const budget = createTraceBudget(clock, { timeoutMs: options.timeoutMs, maxBytes: Number.MAX_SAFE_INTEGER, signal })
        return await call(pacerOf(() => budget.pause()))
      } finally {
        leave()
      }
    },
  }
}

function pacerOf(pause: () => Promise<void> | null): TransactionTracer {
  return { hooks: { pause }, start: () => undefined, end: () => undefined, result: () => null }
}
