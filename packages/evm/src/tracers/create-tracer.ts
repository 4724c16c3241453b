import { createCallTracer } from './call-tracer.ts'
import { createErc7562Tracer } from './erc7562-tracer.ts'
import { createFlatCallTracer } from './flat-call-tracer.ts'
import { createPrestateTracer } from './prestate-tracer.ts'
import { createFourByteTracer, createMuxTracer, createNoopTracer } from './small-tracers.ts'
import { createStructLogger } from './struct-logger.ts'
import type { TraceContext, TracerConfig, TransactionTracer } from './transaction-tracer.ts'

type Create = (config: TracerConfig, context: TraceContext) => TransactionTracer

const TRACERS: Readonly<Record<string, Create>> = {
  callTracer: createCallTracer,
  flatCallTracer: createFlatCallTracer,
  prestateTracer: (config, context) => createPrestateTracer(config, context),
  erc7562Tracer: createErc7562Tracer,
  '4byteTracer': createFourByteTracer,
  noopTracer: createNoopTracer,
  muxTracer: createMux,
}

/** Without a name, returns the step logger. */
export function createTracer(name: string | null, config: TracerConfig, context: TraceContext): TransactionTracer | null {
  if (name === null || name === '') return createStructLogger(config, context)
  const create = Object.hasOwn(TRACERS, name) ? TRACERS[name] : undefined
  return create === undefined ? null : create(config, context)
}

function createMux(config: TracerConfig, context: TraceContext): TransactionTracer {
  const parts = new Map<string, TransactionTracer>()
  for (const [name, options] of Object.entries(config)) {
    const part = name === 'muxTracer' ? null : createTracer(name, (options ?? {}) as TracerConfig, context)
    if (part === null) throw new Error(`tracer not found: ${name}`)
    parts.set(name, part)
  }
  return createMuxTracer(parts)
}
