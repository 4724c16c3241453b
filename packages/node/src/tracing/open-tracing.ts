import { hostname } from 'node:os'
import type { BlockSpan, BlockSpans } from '@keelson/consensus'
import type { Logger } from '@keelson/primitives'
import type { Metrics, OptionValues, Service } from '@keelson/runtime'
import type { tracingOptions } from './tracing-options.ts'

export interface TracedStep extends Omit<BlockSpan, 'step'> {
  /** The execution client records `execute`, the consensus client all others. */
  readonly step: BlockSpan['step'] | 'execute'
}

export interface Tracing extends BlockSpans {
  record(step: TracedStep): void
  /** Delivers what is queued when it stops. */
  readonly service: Service
}

/** Returns null unless an endpoint is configured; the libraries load only then. */
export async function openTracing(
  role: string,
  { tracingEndpoint, tracingPercent, metricsPort }: OptionValues<typeof tracingOptions> & { readonly metricsPort: number },
  deps: { readonly log: Logger; readonly metrics: Metrics },
): Promise<Tracing | null> {
  if (tracingEndpoint === null) return null
  const { createOtlpTracing } = await import('./otlp-tracing.ts')
  deps.log.info('blocks are traced', { collector: new URL(tracingEndpoint).host, percent: tracingPercent })
  return createOtlpTracing({ role, instance: `${hostname()}:${metricsPort}`, endpoint: tracingEndpoint, percent: tracingPercent }, deps)
}
