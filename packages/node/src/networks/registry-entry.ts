import type { RollupConfig } from '@keelson/chainspec'
import { parse } from 'smol-toml'
import { type ForkTable, forkTableOfRegistry, keepsUpgradeGasInRegistry } from './fork-table.ts'

export interface RegistryEntry {
  readonly source: string
  /** Without `pectra_blob_schedule`, which is no fork of L2. */
  readonly forks: ForkTable
  readonly keepsUpgradeGas: boolean
  /** Keys that this release does not know. */
  readonly notes: readonly string[]
}

const MAX_FORKS = 64
const FORK_KEY = /^[a-z][a-z0-9_]{0,39}_time$/

/** Reads `superchain/configs/SUPERCHAIN/CHAIN.toml`. Throws Error for a file of another form or another chain. */
export function readRegistryEntry(toml: string, source: string, { l2ChainId, genesis }: RollupConfig): RegistryEntry {
  const { chain_id: chainId, hardforks, genesis: stated } = parse(toml)
  if (chainId !== Number(l2ChainId)) throw new Error(`chain_id: expected ${l2ChainId}, got ${JSON.stringify(chainId) ?? 'none'}`)
  const { hash } = (table(table(stated).l2) ?? {}) as Record<string, unknown>
  if (typeof hash !== 'string' || hash.toLowerCase() !== genesis.l2.hash)
    throw new Error(`genesis.l2.hash: expected ${genesis.l2.hash}, got ${JSON.stringify(hash) ?? 'none'}`)
  const keys = Object.keys(table(hardforks))
  if (keys.length === 0) throw new Error('expected fork times in [hardforks], got none')
  if (keys.length > MAX_FORKS) throw new Error(`hardforks: at most ${MAX_FORKS} keys are expected, got ${keys.length}`)
  const unknown = keys.filter((key) => !FORK_KEY.test(key) && key !== 'keep_karst_upgrade_gas')
  const forks = new Map([...forkTableOfRegistry(toml, genesis.l2TimestampSec)].filter(([name]) => name !== 'pectra_blob_schedule'))
  for (const [name, timeSec] of forks)
    if (timeSec < 0) throw new Error(`hardforks.${name}_time: expected a time in Unix seconds, got ${timeSec}`)
  return {
    source,
    forks,
    keepsUpgradeGas: keepsUpgradeGasInRegistry(toml),
    notes: unknown.map(
      (key) => `this release does not know hardforks.${key} of the registry, which may change the chain: install a newer release`,
    ),
  }
}

function table(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
