/** Omits keys unknown to the other client, but only if the chain stays the same. */
import { forksUpTo, type RollupConfig, rollupConfigToJson } from '@keelson/chainspec'
import { rollupGethConfig } from '@keelson/devnet/genesis'
import { readL1ChainJson, readNetworkJson, readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { asCalled } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'
import { type ExportTarget, type ExportTargetName, type NetworkFileName, TARGETS } from './export-targets.ts'

export interface ExportedConfig {
  readonly files: ReadonlyMap<NetworkFileName, Readonly<Record<string, unknown>>>
  readonly flags: readonly string[]
}

const NO_GENESIS = 'its own configuration of the network instead of a genesis.json: the first state comes from an older chain'

/** Throws AssemblyError `node/usage` with all reasons, ChainspecError. */
export function exportConfig(folder: string, name: ExportTargetName): ExportedConfig {
  const target = TARGETS[name]
  const config = readRollupConfig(folder, { allowSameChainId: true })
  const rollup = rollupConfigToJson(config)
  const reasons = obstacles(target, config, rollup)
  if (reasons.length > 0) {
    throw new AssemblyError('node/usage', `${target.program} cannot take part in the network of ${folder}: ${reasons.join('; ')}`)
  }
  const content: Readonly<Record<NetworkFileName, () => Record<string, unknown>>> = {
    'rollup.json': () => without(rollup, target.needlessRollupKeys),
    'genesis.json': () => genesisFor(target, config, readNetworkJson(folder, 'genesis.json') as Record<string, unknown>),
    'l1-chain.json': () => readL1ChainJson(folder),
  }
  const hasGenesis = readPublicNetwork(folder)?.state !== 'snapshot'
  const files = target.files.filter((file) => file !== 'genesis.json' || hasGenesis)
  const missing = files.length === target.files.length ? [] : [NO_GENESIS]
  return {
    files: new Map(files.map((file) => [file, content[file]()])),
    flags: [...target.flags, ...missing, ...l1Flags(target, readL1ChainJson(folder))],
  }
}

function obstacles(target: ExportTarget, config: RollupConfig, rollup: Readonly<Record<string, unknown>>): readonly string[] {
  const { program, newestFork } = target
  const { forks, unsupportedForks } = config
  const known = forksUpTo(newestFork)
  // Unsupported forks are newer than all others, so only an equally new program may know them.
  const unknownHere = forks.lineage.at(-1) === newestFork ? [] : unsupportedForks.map(({ name }) => name)
  return [
    ...[...forks.lineage.filter((fork) => !known.includes(fork) && forks.activationTimeSec(fork) !== null), ...unknownHere]
      .map(
        (fork) =>
          `its newest fork is ${newestFork}, and this network has ${fork}; make one with ${asCalled('devnet')} --fork ${newestFork}`,
      )
      .slice(0, 1),
    ...target.unknownRollupKeys.filter((key) => key in rollup).map((key) => `it does not know ${key}, which changes what is derived`),
    ...(target.refusesEqualChainIds && config.l1ChainId === config.l2ChainId
      ? [
          `${program} refuses a rollup whose l1_chain_id and l2_chain_id are the same, and both are ${config.l1ChainId}; give L1 another chain id`,
        ]
      : []),
  ]
}

function genesisFor({ genesisConfigKeys }: ExportTarget, rollup: RollupConfig, genesis: Record<string, unknown>): Record<string, unknown> {
  const config = Object.entries((genesis.config ?? rollupGethConfig(rollup)) as Record<string, unknown>)
  return { ...genesis, config: Object.fromEntries(config.filter(([key]) => genesisConfigKeys === null || genesisConfigKeys.has(key))) }
}

function l1Flags({ newerL1 }: ExportTarget, l1: Readonly<Record<string, unknown>>): readonly string[] {
  if (newerL1 === null) return []
  const times = Object.keys(l1).filter((key) => key.endsWith('Time'))
  const newer = times.slice(times.indexOf(newerL1.newestKey) + 1)
  return newer.length === 0 ? [] : [`${newerL1.flag}: L1 has ${newer.join(', ')}, and ${newerL1.why}`]
}

function without(json: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)))
}
