/**
 * The keys of fork times in rollup.json and genesis.json. Most forks have a key of their own (`karst_time`, `karstTime`); Base's
 * forks stand together in one object: `base: { azul: ... }`. base/base crates/common/genesis/src/chain/upgrade.rs
 */
import { LATER_FORKS } from './forks/definitions.ts'
import type { Fork } from './rules.ts'

/** How a file ends the key of a fork: `_time` in rollup.json, `Time` in genesis.json. */
export type ForkKeySuffix = '_time' | 'Time'

const GROUPED: ReadonlyMap<Fork, string> = new Map(
  LATER_FORKS.flatMap(({ name, configGroup }) => (configGroup === undefined ? [] : [[name, configGroup] as const])),
)

/** The object that holds the fork's time; null when the fork has a key of its own. */
export function forkGroup(fork: Fork): string | null {
  return GROUPED.get(fork) ?? null
}

/** Unix seconds as a file states them; null when it does not schedule the fork. `json` is the parsed document. */
export function statedForkTime(json: unknown, fork: Fork, suffix: ForkKeySuffix): unknown {
  const group = forkGroup(fork)
  const holder = (json ?? {}) as Readonly<Record<string, unknown>>
  if (group === null) return holder[`${fork}${suffix}`] ?? null
  return ((holder[group] ?? {}) as Readonly<Record<string, unknown>>)[fork] ?? null
}

/** The keys of these times, to be spread into a document. */
export function forkTimesToJson(times: Iterable<readonly [Fork, number]>, suffix: ForkKeySuffix): Readonly<Record<string, unknown>> {
  const json: Record<string, unknown> = {}
  for (const [fork, timeSec] of times) {
    const group = forkGroup(fork)
    if (group === null) json[`${fork}${suffix}`] = timeSec
    else json[group] = { ...(json[group] as object | undefined), [fork]: timeSec }
  }
  return json
}
