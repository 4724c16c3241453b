import type { Hash, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { type Context, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { closing } from '../role/role.ts'
import { VERSION } from '../version.ts'
import { BlockIdGenerator, traceIdsOf } from './block-ids.ts'
import type { Tracing } from './open-tracing.ts'
import { watchExporter } from './watched-exporter.ts'

export interface OtlpTracingOptions {
  readonly role: string
  /** Distinguishes nodes of the same role. */
  readonly instance: string
  readonly endpoint: string
  readonly percent: number
}

/** Spans beyond this are dropped. */
const QUEUED_SPANS = 2048
const SPANS_PER_EXPORT = 512
const EXPORT_EVERY_MS = 1000
const EXPORT_TIMEOUT_MS = 5000

export function createOtlpTracing(options: OtlpTracingOptions, deps: { readonly log: Logger; readonly metrics: Metrics }): Tracing {
  const ids = new BlockIdGenerator()
  const provider = createProvider(options, ids, deps)
  const tracer = provider.getTracer('keelson', VERSION)
  return {
    record({ step, block, startMs, endMs, facts = {} }) {
      // the sequencer's build is the root of the trace
      const isRoot = step === 'build'
      ids.root = isRoot ? traceIdsOf(block.hash) : null
      const attributes = { 'block.number': block.number, 'block.hash': block.hash, ...facts }
      const span = tracer.startSpan(`block ${step}`, { startTime: startMs, attributes }, isRoot ? ROOT_CONTEXT : underRoot(block.hash))
      ids.root = null
      if (facts.status === 'INVALID') span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(endMs)
    },
    // the exporter has logged why the last spans were not delivered
    service: closing('tracing', () => provider.shutdown().catch(() => undefined)),
  }
}

function createProvider(
  { role, instance, endpoint, percent }: OtlpTracingOptions,
  idGenerator: BlockIdGenerator,
  deps: { readonly log: Logger; readonly metrics: Metrics },
): TracerProvider {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    concurrencyLimit: 1,
  })
  const processor = new BatchSpanProcessor({
    exporter: watchExporter(exporter, new URL(endpoint).host, deps),
    maxQueueSize: QUEUED_SPANS,
    maxExportBatchSize: SPANS_PER_EXPORT,
    scheduledDelayMillis: EXPORT_EVERY_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  })
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `keelson-${role}`, 'service.version': VERSION, 'service.instance.id': instance }),
    sampler: new TraceIdRatioBasedSampler(percent / 100),
    idGenerator,
    spanProcessors: [processor],
  })
}

function underRoot(block: Hash): Context {
  const { traceId, rootSpanId } = traceIdsOf(block)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: rootSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
}
