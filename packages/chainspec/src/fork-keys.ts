/**
 * Keys of fork times in rollup.json and genesis.json: one per fork (`karst_time`, `karstTime`), except that Base groups its forks
 * in one object. base/base crates/common/genesis/src/chain/upgrade.rs
 */
import { LATER_FORKS } from './forks/definitions.ts'
import type { Fork } from './rules.ts'

/** Suffix of a fork's key: `_time` in rollup.json, `Time` in genesis.json. */
export type ForkKeySuffix = '_time' | 'Time'

const GROUPED: ReadonlyMap<Fork, string> = new Map(
  LATER_FORKS.flatMap(({ name, configGroup }) => (configGroup === undefined ? [] : [[name, configGroup] as const])),
)

/** Returns the object that holds the fork's time, or null when the fork has a key of its own. */
export function forkGroup(fork: Fork): string | null {
  return GROUPED.get(fork) ?? null
}

/** Returns the stated time in unix seconds, or null when `json` does not schedule the fork. */
export function statedForkTime(json: unknown, fork: Fork, suffix: ForkKeySuffix): unknown {
  const group = forkGroup(fork)
  const holder = (json ?? {}) as Readonly<Record<string, unknown>>
  if (group === null) return holder[`${fork}${suffix}`] ?? null
  return ((holder[group] ?? {}) as Readonly<Record<string, unknown>>)[fork] ?? null
}

/** Returns the keys to spread into a document. */
export function forkTimesToJson(times: Iterable<readonly [Fork, number]>, suffix: ForkKeySuffix): Readonly<Record<string, unknown>> {
  const json: Record<string, unknown> = {}
  for (const [fork, timeSec] of times) {
    const group = forkGroup(fork)
    if (group === null) json[`${fork}${suffix}`] = timeSec
    else json[group] = { ...(json[group] as object | undefined), [fork]: timeSec }
  }
  return json
}
