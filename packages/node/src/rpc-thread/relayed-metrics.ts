/** Metrics that are kept by another thread. */
import type { GaugeReading, LabelValues, Metrics } from '@keelson/runtime'
import type { MetricChange, MetricDefinition, RpcThreadUse } from './protocol.ts'

const MAX_CHANGES = 1_000

export interface RelayedMetrics {
  readonly metrics: Metrics
  flush(): void
}

/** Gauges are read when the changes are sent. */
export function createRelayedMetrics(send: (changes: Omit<RpcThreadUse, 'waitingReads'>) => void): RelayedMetrics {
  const known = new Set<string>()
  const gauges = new Map<string, () => GaugeReading>()
  let defined: MetricDefinition[] = []
  let changes: MetricChange[] = []

  const flush = () => {
    const read = [...gauges].map(([name, reading]) => ({ name, value: Number(reading()), labels: undefined }))
    send({ defined, changes: [...changes, ...read] })
    defined = []
    changes = []
  }
  const define = (definition: MetricDefinition) => {
    if (!known.has(definition.name)) defined.push(definition)
    known.add(definition.name)
    return (value: number, values?: LabelValues) => {
      changes.push({ name: definition.name, value, labels: values })
      if (changes.length >= MAX_CHANGES) flush()
    }
  }
  return {
    flush,
    metrics: {
      counter(name, help, labels = []) {
        const change = define({ kind: 'counter', name, help, labels })
        return { inc: (by = 1, values) => change(by, values) }
      },
      gauge(name, help, labels = [], read) {
        if (read !== undefined) gauges.set(name, read)
        return { set: define({ kind: 'gauge', name, help, labels }) }
      },
      histogram: (name, help, labels = []) => ({ observe: define({ kind: 'histogram', name, help, labels }) }),
      render: async () => ({ contentType: 'text/plain', text: '' }),
    },
  }
}

export function createMetricsTaker(metrics: Metrics): (changes: Omit<RpcThreadUse, 'waitingReads'>) => void {
  const takers = new Map<string, (change: MetricChange) => void>()
  const takerOf = ({ kind, name, help, labels }: MetricDefinition): ((change: MetricChange) => void) => {
    switch (kind) {
      case 'counter': {
        const counter = metrics.counter(name, help, labels)
        return ({ value, labels: values }) => counter.inc(value, values)
      }
      case 'gauge': {
        const gauge = metrics.gauge(name, help, labels)
        return ({ value, labels: values }) => gauge.set(value, values)
      }
      case 'histogram': {
        const histogram = metrics.histogram(name, help, labels)
        return ({ value, labels: values }) => histogram.observe(value, values)
      }
    }
  }
  return ({ defined, changes }) => {
    for (const definition of defined) takers.set(definition.name, takerOf(definition))
    for (const change of changes) takers.get(change.name)?.(change)
  }
}
