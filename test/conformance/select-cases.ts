/** Which cases of a group one worker runs. */
import type { ConformanceCase } from './group.ts'
import type { Part, RunOptions } from './options.ts'

/** Evenly spread, so that the same cases are taken every time. */
function spread<T>(items: readonly T[], count: number | null): readonly T[] {
  if (count === null || items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)] as T)
}

/** Every nth: neighbours are alike in cost, so each part gets its share of the dear ones. */
function partOf<T>(items: readonly T[], { index, count }: Part): readonly T[] {
  return count === 1 ? items : items.filter((_, i) => i % count === index)
}

/** So that a run tells most of what it has to tell before it comes to them. */
function longLast(cases: readonly ConformanceCase[]): readonly ConformanceCase[] {
  return [...cases.filter((test) => test.long !== true), ...cases.filter((test) => test.long === true)]
}

/** `slice` is the worker's part of what the options choose. */
export function selectCases(
  all: readonly ConformanceCase[],
  { grep, sample, shard }: Pick<RunOptions, 'grep' | 'sample' | 'shard'>,
  slice: Part,
): readonly ConformanceCase[] {
  const wanted = all.filter((test) => (grep === null || test.id.includes(grep)) && (sample === null || test.long !== true))
  return longLast(partOf(partOf(spread(wanted, sample), shard), slice))
}
