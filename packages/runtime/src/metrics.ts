import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type LabelValues = Readonly<Record<string, string | number>>

export interface CounterMetric {
  inc(by?: number, labels?: LabelValues): void
}
export interface GaugeMetric {
  set(value: number, labels?: LabelValues): void
}
export type GaugeReading = number | readonly (readonly [labels: LabelValues, value: number])[]

export interface HistogramMetric {
  observe(value: number, labels?: LabelValues): void
}

export interface Metrics {
  /**
   * A second call with a name returns the same metric. A counter with labels has a series for each of `starts` from the beginning, at
   * zero, so that an absent series means that nothing was scraped; `starts` may leave out labels whose values are not known before.
   */
  counter(name: string, help: string, labels?: readonly string[], starts?: readonly LabelValues[]): CounterMetric
  /** `read` is called at each scrape; a second call with a name replaces it. */
  gauge(name: string, help: string, labels?: readonly string[], read?: () => GaugeReading): GaugeMetric
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): HistogramMetric
  render(): Promise<{ readonly contentType: string; readonly text: string }>
}

const DEFAULT_BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Only one instance per process may enable `processMetrics`. */
export function createMetrics(prefix: string, options: { readonly processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry()
  if (options.processMetrics === true) collectDefaultMetrics({ register: registry })
  const known = new Map<string, unknown>()
  const readers = new Map<string, () => GaugeReading>()
  const once = <T>(name: string, create: (full: string) => T): T => {
    const full = `${prefix}_${name}`
    const existing = known.get(full)
    if (existing !== undefined) return existing as T
    const created = create(full)
    known.set(full, created)
    return created
  }
  return {
    counter: (name, help, labels = [], starts = []) =>
      once(name, (full) => {
        const counter = new Counter({ name: full, help, labelNames: [...labels], registers: [registry] })
        for (const values of starts) counter.inc({ ...values }, 0)
        return { inc: (by = 1, values) => (values === undefined ? counter.inc(by) : counter.inc(values, by)) }
      }),
    gauge(name, help, labels = [], read) {
      if (read !== undefined) readers.set(name, read)
      return once(name, (full) => {
        const collect = read === undefined ? {} : { collect: () => setAll(gauge, (readers.get(name) ?? read)()) }
        const gauge: Gauge = new Gauge({ name: full, help, labelNames: [...labels], registers: [registry], ...collect })
        return { set: (value, values) => (values === undefined ? gauge.set(value) : gauge.set(values, value)) }
      })
    },
    histogram: (name, help, labels = [], buckets = DEFAULT_BUCKETS_SEC) =>
      once(name, (full) => {
        const histogram = new Histogram({ name: full, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] })
        return { observe: (value, values) => (values === undefined ? histogram.observe(value) : histogram.observe(values, value)) }
      }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

function setAll(gauge: Gauge, reading: GaugeReading): void {
  if (typeof reading === 'number') {
    gauge.set(reading)
    return
  }
  gauge.reset()
  for (const [labels, value] of reading) gauge.set(labels, value)
}
