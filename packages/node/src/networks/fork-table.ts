import type { RollupConfig } from '@keelson/chainspec'
import { parse } from 'smol-toml'

/** Unix seconds by fork name. A fork at genesis has the first block's time. */
export type ForkTable = ReadonlyMap<string, number>

/** The superchain registry omits these, because all its chains begin with them. */
const IMPLIED: readonly string[] = ['bedrock', 'regolith']
const FORK_KEY = /^([a-z][a-z0-9_]*)_time$/

export function forkTableOf(rollup: RollupConfig): ForkTable {
  const { forks, unsupportedForks, pectraBlobScheduleTimeSec: pectra, genesis } = rollup
  const known = forks.lineage
    .filter((fork) => !IMPLIED.includes(fork))
    .flatMap((fork) => {
      const timeSec = forks.activationTimeSec(fork)
      return timeSec === null ? [] : [[fork as string, timeSec] as const]
    })
  const others = unsupportedForks.map(({ name, timeSec }) => [name, timeSec] as const)
  const blobs = pectra === null ? [] : [['pectra_blob_schedule', pectra] as const]
  return fromGenesis([...known, ...others, ...blobs], genesis.l2TimestampSec)
}

/** Reads `[hardforks]` of the superchain registry. Throws Error. */
export function forkTableOfRegistry(toml: string, genesisSec: number): ForkTable {
  const entries = Object.entries((parse(toml).hardforks ?? {}) as Record<string, unknown>).flatMap(([key, value]) => {
    const name = FORK_KEY.exec(key)?.[1]
    if (name === undefined) return []
    if (!Number.isSafeInteger(value)) throw new Error(`hardforks.${key}: expected a time in Unix seconds, got ${JSON.stringify(value)}`)
    return [[name, value as number] as const]
  })
  return fromGenesis(entries, genesisSec)
}

/** Reads `keep_karst_upgrade_gas` from the same table. Throws Error. */
export function keepsUpgradeGasInRegistry(toml: string): boolean {
  const { keep_karst_upgrade_gas: keeps = false } = (parse(toml).hardforks ?? {}) as Record<string, unknown>
  if (typeof keeps === 'boolean') return keeps
  throw new Error(`hardforks.keep_karst_upgrade_gas: expected true or false, got ${JSON.stringify(keeps)}`)
}

function fromGenesis(entries: readonly (readonly [string, number])[], genesisSec: number): ForkTable {
  return new Map(entries.map(([name, timeSec]) => [name, Math.max(timeSec, genesisSec)]))
}

export interface ForkDifference {
  readonly name: string
  readonly have: number | null
  readonly want: number | null
}

export function compareForks(have: ForkTable, want: ForkTable): readonly ForkDifference[] {
  return [...new Set([...want.keys(), ...have.keys()])]
    .map((name) => ({ name, have: have.get(name) ?? null, want: want.get(name) ?? null }))
    .filter((fork) => fork.have !== fork.want)
}
