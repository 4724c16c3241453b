import { bytesToHex } from '@keelson/primitives'
import type { EvmTracer } from '../tracer.ts'
import type { TraceContext, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

const SELECTOR_BYTES = 4
const ENTRY_BYTES = 30

/** Keys are selector and argument size: "0x27dc297e-128". */
export function createFourByteTracer(_: TracerConfig, { budget, precompiles }: TraceContext): TransactionTracer {
  const counts = new Map<string, number>()
  return {
    hooks: {
      enter({ kind, to, input }) {
        if (to === null || kind === 'selfdestruct' || input.length < SELECTOR_BYTES) return
        if (precompiles.has(bytesToHex(to) as never)) return
        const key = `${bytesToHex(input.subarray(0, SELECTOR_BYTES))}-${input.length - SELECTOR_BYTES}`
        if (!counts.has(key)) budget.spend(ENTRY_BYTES)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      },
    },
    start: () => undefined,
    end: () => undefined,
    result: () => Object.fromEntries(counts),
  }
}

export function createNoopTracer(): TransactionTracer {
  return { hooks: {}, start: () => undefined, end: () => undefined, result: () => ({}) }
}

export function createMuxTracer(parts: ReadonlyMap<string, TransactionTracer>): TransactionTracer {
  const tracers = [...parts.values()]
  const each = <K extends 'step' | 'enter' | 'exit' | 'log'>(hook: K) => tracers.flatMap(({ hooks }) => hooks[hook]?.bind(hooks) ?? [])
  const tell = <K extends 'step' | 'enter' | 'exit' | 'log'>(hook: K): Partial<EvmTracer> => {
    const listeners = each(hook) as ((event: never) => void)[]
    return listeners.length === 0
      ? {}
      : {
          [hook]: (event: never) => {
            for (const listener of listeners) listener(event)
          },
        }
  }
  return {
    hooks: { ...tell('step'), ...tell('enter'), ...tell('exit'), ...tell('log') },
    start(tx, state) {
      for (const tracer of tracers) tracer.start(tx, state)
    },
    end(outcome) {
      for (const tracer of tracers) tracer.end(outcome)
    },
    result: () => Object.fromEntries([...parts].map(([name, tracer]) => [name, tracer.result()])),
  }
}
