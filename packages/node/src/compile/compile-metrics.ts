import type { TierObserver } from '@keelson/evm'
import type { Metrics } from '@keelson/runtime'
import type { CompileObserver } from './compile-thread.ts'

export interface CompileMetrics {
  /** For the engine that imports and builds blocks. */
  readonly tiers: TierObserver
  /** For the thread that compiles for all engines. */
  readonly thread: CompileObserver
}

export function createCompileMetrics(metrics: Metrics): CompileMetrics {
  const requests = metrics.counter('compile_requests_total', 'Codes that became hot, by whether the compiler accepted them', ['outcome'])
  const functions = metrics.gauge('compiled_functions', 'Compiled codes ready to run')
  const evicted = metrics.counter('compiled_functions_evicted_total', 'Compiled codes removed to make room for others')
  const bails = metrics.counter('compiled_bail_outs_total', 'Frames that left compiled code and continued in the interpreter')
  const results = metrics.counter('compile_results_total', 'Codes compiled, read from disk, or refused as too large or complex', [
    'outcome',
  ])
  const waiting = metrics.gauge('compile_waiting_codes', 'Codes in the queue of the compiler')
  const deaths = metrics.counter('compile_thread_deaths_total', 'Times the thread that compiles ended')
  const modules = metrics.gauge('compile_store_modules', 'Compiled codes on disk')
  const bytes = metrics.gauge('compile_store_bytes', 'Size of the compiled codes on disk')
  return {
    tiers: {
      requested: (accepted) => requests.inc(1, { outcome: accepted ? 'accepted' : 'queue-full' }),
      functions: (count) => functions.set(count),
      evicted: (count) => evicted.inc(count),
      bailedOut: (frames) => bails.inc(frames),
    },
    thread: {
      waiting: (codes) => waiting.set(codes),
      finished(outcome, stored) {
        results.inc(1, { outcome })
        modules.set(stored.modules)
        bytes.set(stored.bytes)
      },
      died: () => deaths.inc(),
    },
  }
}
