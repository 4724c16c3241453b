import type { RollupConfig } from '@keelson/chainspec'
import { AssemblyError } from '../errors.ts'
import { type ForkTable, forkTableOf } from '../networks/fork-table.ts'
import type { RegistryEntry } from '../networks/registry-entry.ts'
import type { NewerForkTime, NewerForkTimes } from './fork-times-file.ts'
import { movedForks } from './judge-fork-times.ts'
import { applyForkTimes, timesOf } from './read-rollup.ts'

export interface UpdateInput {
  /** Name or folder, as given. */
  readonly network: string
  readonly folder: string
  /** Without newer times. */
  readonly rollup: RollupConfig
  readonly entry: RegistryEntry
  /** What the data directory has. */
  readonly previous: NewerForkTimes | null
  readonly nowSec: number
}

export interface UpdatePlan {
  /** Null if this release has every time of the registry. */
  readonly newer: NewerForkTimes | null
  readonly applied: RollupConfig
  readonly notes: readonly string[]
}

/** Throws AssemblyError `node/refused` if a time moves a fork that is active, or the times are out of order. */
export function planUpdate({ network, folder, rollup, entry, previous, nowSec }: UpdateInput): UpdatePlan {
  const shipped = forkTableOf(rollup)
  const forks = new Map<string, NewerForkTime>()
  for (const [name, timeSec] of entry.forks) {
    if (shipped.get(name) === timeSec) continue
    const kept = previous?.forks.get(name)
    forks.set(name, kept?.timeSec === timeSec ? kept : { timeSec, source: entry.source, readAtSec: nowSec })
  }
  const newer = { network, chainId: rollup.l2ChainId, genesisHash: rollup.genesis.l2.hash, forks }
  const refuse = (mistakes: readonly string[]) =>
    new AssemblyError(
      'node/refused',
      `the fork times of ${entry.source} cannot be used: ${mistakes.join('; ')}; nothing was written; install a release that knows the network as it is now`,
    )
  const apply = (times: NewerForkTimes) => applyForkTimes({ network: folder, allowSameChainId: true }, timesOf(times), refuse)
  const applied = apply(newer)
  const before = previous === null ? shipped : forkTableOf(apply(previous))
  const mistakes = [...movedForks(newer, { before, applied }, nowSec), ...lostForks(before, forkTableOf(applied), nowSec)]
  if (mistakes.length > 0) throw refuse(mistakes)
  return { newer: forks.size === 0 ? null : newer, applied, notes: [...entry.notes, ...notesOn(shipped, entry, rollup)] }
}

function lostForks(before: ForkTable, after: ForkTable, nowSec: number): readonly string[] {
  return [...before]
    .filter(([name, timeSec]) => timeSec <= nowSec && !after.has(name))
    .map(([name]) => `fork ${name} is active by an earlier update, and the registry no longer schedules it`)
}

function notesOn(shipped: ForkTable, entry: RegistryEntry, rollup: RollupConfig): readonly string[] {
  const absent = [...shipped.keys()].filter((name) => !entry.forks.has(name) && name !== 'pectra_blob_schedule')
  return [
    ...absent.map((name) => `the registry does not schedule ${name}; the time of this release stays`),
    ...(entry.keepsUpgradeGas === rollup.keepKarstUpgradeGas
      ? []
      : [
          `the registry says keep_karst_upgrade_gas = ${entry.keepsUpgradeGas}, this release ${rollup.keepKarstUpgradeGas}: install a newer release`,
        ]),
  ]
}
