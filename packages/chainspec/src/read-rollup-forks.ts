/**
 * Fork times in rollup.json, including unsupported forks. op-node: op-node/rollup/types.go; base-consensus: base/base
 * crates/common/genesis/src/chain/upgrade.rs, `BaseUpgradeConfig`
 */
import { parseJsonInteger } from '@keelson/primitives'
import { forkGroup, forkTimesToJson } from './fork-keys.ts'
import type { ForkTimes, LaterFork } from './fork-schedule.ts'
import { createJsonReader, type JsonReader } from './json-reader.ts'
import { FORKS, type ForkSchedule } from './rules.ts'
import type { UnsupportedFork } from './unsupported-fork.ts'

/** Remembers its place in the document, so that the document can be written again. */
export interface UnsupportedForkEntry extends UnsupportedFork {
  /** The key of the object that holds the fork's key; null for the document itself. */
  readonly group: string | null
  readonly key: string
}

export interface RollupForks {
  readonly times: ForkTimes
  readonly unsupported: readonly UnsupportedForkEntry[]
}

const LATER_FORKS = FORKS.filter((fork): fork is LaterFork => fork !== 'bedrock')
const FORK_KEY = /^([a-z][a-z0-9_]*)_time$/
const BASE_KEY = /^[a-z][a-z0-9_]*$/
/** Former names that base-consensus still reads. */
const BASE_ALIASES: ReadonlyMap<string, string> = new Map([
  ['v1', 'azul'],
  ['v2', 'beryl'],
  ['v3', 'cobalt'],
])
/** Forks renamed without an alias: ethereum-optimism/optimism pull request 21370, superchain-registry pull request 1255. */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([['interop', 'lagoon']])

export function isForkKey(key: string): boolean {
  return key === 'base' || FORK_KEY.test(key)
}

/** `notForks` lists keys that only look like a fork's. Mistakes are reported to the reader. */
export function readRollupForks(root: JsonReader, notForks: ReadonlySet<string>): RollupForks {
  const times: Partial<Record<LaterFork, number | null>> = {}
  const unsupported: UnsupportedForkEntry[] = []
  const read = (reader: JsonReader, key: string, name: string, group: string | null) => {
    const timeSec = reader.optional<number | null>(key, parseJsonInteger, null)
    if (timeSec === null) return
    const fork = LATER_FORKS.find((known) => known === (FORMER_NAMES.get(name) ?? name))
    if (fork === undefined) unsupported.push({ name, timeSec, group, key })
    else if (forkGroup(fork) !== group)
      root.mistake(`${group === null ? '' : `${group}.`}${key}: the time of ${fork} belongs ${placeOf(fork)}`)
    else if (times[fork] !== undefined)
      root.mistake(`${group ?? ''}.${key} is another name of ${fork}, which is given too; keep one of them`)
    else times[fork] = timeSec
  }
  for (const key of root.keys) {
    const name = FORK_KEY.exec(key)?.[1]
    if (name !== undefined && !notForks.has(key)) read(root, key, name, null)
  }
  const base = root.has('base') ? root.child('base') : createJsonReader({}, [])
  for (const key of base.keys) {
    if (BASE_KEY.test(key)) read(base, key, BASE_ALIASES.get(key) ?? key, 'base')
    else root.mistake(`base.${key} is not the name of a fork`)
  }
  return { times, unsupported }
}

/** `times` by fork name replace the stated ones; a name that this release does not know becomes an unsupported fork. */
export function withForkTimes(stated: RollupForks, times: Readonly<Record<string, number>>): RollupForks {
  const known: Partial<Record<LaterFork, number | null>> = { ...stated.times }
  const unsupported = stated.unsupported.filter(({ name }) => !Object.hasOwn(times, name))
  for (const [given, timeSec] of Object.entries(times)) {
    const name = FORMER_NAMES.get(given) ?? given
    const fork = LATER_FORKS.find((each) => each === name)
    if (fork === undefined) unsupported.push({ name, timeSec, group: null, key: `${name}_time` })
    else known[fork] = timeSec
  }
  return { times: known, unsupported }
}

/** Returns the keys to spread into a document. */
export function rollupForkKeys(config: {
  readonly forks: ForkSchedule
  readonly unsupportedForks: readonly UnsupportedForkEntry[]
}): Record<string, unknown> {
  const { forks, unsupportedForks } = config
  const known = forks.lineage.flatMap((fork) => {
    const timeSec = fork === 'bedrock' ? null : forks.activationTimeSec(fork)
    return timeSec === null ? [] : [[fork, timeSec] as const]
  })
  const json: Record<string, unknown> = { ...forkTimesToJson(known, '_time') }
  for (const { group, key, timeSec } of unsupportedForks) {
    if (group === null) json[key] = timeSec
    else json[group] = { ...(json[group] as object | undefined), [key]: timeSec }
  }
  return json
}

function placeOf(fork: LaterFork): string {
  const group = forkGroup(fork)
  return group === null ? `under ${fork}_time` : `into the object "${group}": { "${fork}": ... }`
}
