import type { Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'

type ExportDone = Parameters<SpanExporter['export']>[1]

/** Counts the spans that reach the collector, and logs when it stops and starts accepting them. */
export function watchExporter(
  exporter: SpanExporter,
  host: string,
  deps: { readonly log: Logger; readonly metrics: Metrics },
): SpanExporter {
  const { log } = deps
  const spans = deps.metrics.counter('tracing_spans_total', 'Spans sent to the OpenTelemetry collector, by outcome', ['outcome'])
  let failing = false

  function note(sent: readonly ReadableSpan[], error: Error | null): void {
    spans.inc(sent.length, { outcome: error === null ? 'delivered' : 'lost' })
    if (error !== null && !failing) {
      log.warn('the OpenTelemetry collector does not accept traces; they are dropped', {
        host,
        reason: error.message,
        remedy: 'check --tracing.endpoint and the collector',
      })
    }
    if (error === null && failing) log.info('the OpenTelemetry collector accepts traces again', { host })
    failing = error !== null
  }

  return {
    export(batch, done: ExportDone) {
      exporter.export(batch, (result) => {
        note(batch, result.code === 0 ? null : (result.error ?? new Error('the collector refused the spans')))
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
