import type { ConformanceCase } from './group.ts'
import type { Part, RunOptions } from './options.ts'

function spread<T>(items: readonly T[], count: number | null): readonly T[] {
  if (count === null || items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as T)
}

/** Takes every nth case, because neighbours cost about the same. */
function partOf<T>(items: readonly T[], { index, count }: Part): readonly T[] {
  return count === 1 ? items : items.filter((_, i) => i % count === index)
}

function longLast(cases: readonly ConformanceCase[]): readonly ConformanceCase[] {
  return [...cases.filter((test) => test.long !== true), ...cases.filter((test) => test.long === true)]
}

export function selectCases(
  all: readonly ConformanceCase[],
  { grep, sample, shard }: Pick<RunOptions, 'grep' | 'sample' | 'shard'>,
  slice: Part,
): readonly ConformanceCase[] {
  const wanted = all.filter((test) => (grep === null || test.id.includes(grep)) && (sample === null || test.long !== true))
  return longLast(partOf(partOf(spread(wanted, sample), shard), slice))
}
