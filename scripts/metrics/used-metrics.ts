/** Finds the metrics that a PromQL expression names. */
import type { MetricDefinition } from './definitions.ts'

const PATTERN = /\b__name__\s*=~\s*"([^"]+)"/g
const NAME = /\bkeelson_\w+/g
const SERIES_OF_HISTOGRAM = ['_bucket', '_sum', '_count']

/** Names and patterns that no definition matches. */
export function unknownMetrics(expression: string, definitions: readonly Pick<MetricDefinition, 'name' | 'kind'>[]): readonly string[] {
  const series = new Set(
    definitions.flatMap(({ name, kind }) => (kind === 'histogram' ? SERIES_OF_HISTOGRAM.map((suffix) => name + suffix) : [name])),
  )
  const patterns = [...expression.matchAll(PATTERN)].map(([, pattern]) => pattern as string)
  const unmatched = patterns.filter((pattern) => ![...series].some((name) => new RegExp(`^(?:${pattern})$`).test(name)))
  const withoutStrings = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const names = [...withoutStrings.matchAll(NAME)].map(([name]) => name).filter((name) => !series.has(name))
  return [...unmatched, ...names]
}
