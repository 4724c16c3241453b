import { ChainspecError, type RollupConfig } from '@keelson/chainspec'
import { readRollupConfig } from '@keelson/devnet/network-files'
import { AssemblyError } from '../errors.ts'
import { forkTableOf } from '../networks/fork-table.ts'
import { type NewerForkTimes, readForkTimesFile } from './fork-times-file.ts'
import { movedForks } from './judge-fork-times.ts'

export interface RollupSource {
  readonly network: string
  readonly allowSameChainId: boolean
  /** Null for a command without a data directory, which uses rollup.json as it is. */
  readonly dataDir: string | null
}

export interface ReadRollup {
  readonly config: RollupConfig
  /** Null if the data directory has none. */
  readonly newer: NewerForkTimes | null
  /** For `forkTimes` of `readRollupConfig` in other threads. */
  readonly forkTimes: Readonly<Record<string, number>>
}

/** Throws AssemblyError `node/usage` for newer fork times that cannot be used; DevnetError, ChainspecError as readRollupConfig. */
export function readRollup({ network, allowSameChainId, dataDir }: RollupSource, nowSec: number): ReadRollup {
  const config = readRollupConfig(network, { allowSameChainId })
  const stored = dataDir === null ? null : readForkTimesFile(dataDir)
  const newer = stored === null ? null : withoutShipped(stored, config)
  if (newer === null) return { config, newer, forkTimes: {} }
  const forkTimes = timesOf(newer)
  const refuse = (mistakes: readonly string[]) => refusal(dataDir as string, newer, mistakes)
  if (newer.chainId !== config.l2ChainId || newer.genesisHash !== config.genesis.l2.hash) {
    throw refuse([
      `they are of chain ${newer.chainId} with genesis ${newer.genesisHash}; expected chain ${config.l2ChainId} with genesis ${config.genesis.l2.hash}`,
    ])
  }
  const applied = applyForkTimes({ network, allowSameChainId }, forkTimes, refuse)
  const moved = movedForks(newer, { before: forkTableOf(config), applied }, nowSec)
  if (moved.length > 0) throw refuse(moved)
  return { config: applied, newer, forkTimes }
}

/** A later release may have the times. Null if nothing is left. */
function withoutShipped(stored: NewerForkTimes, config: RollupConfig): NewerForkTimes | null {
  const shipped = forkTableOf(config)
  const forks = new Map([...stored.forks].filter(([name, { timeSec }]) => shipped.get(name) !== timeSec))
  return forks.size === 0 ? null : { ...stored, forks }
}

/** `refuse` makes the error for times that are out of order. */
export function applyForkTimes(
  { network, allowSameChainId }: Omit<RollupSource, 'dataDir'>,
  forkTimes: Readonly<Record<string, number>>,
  refuse: (mistakes: readonly string[]) => Error,
): RollupConfig {
  try {
    return readRollupConfig(network, { allowSameChainId, forkTimes })
  } catch (error) {
    if (!(error instanceof ChainspecError)) throw error
    throw refuse(error.mistakes)
  }
}

export function timesOf({ forks }: NewerForkTimes): Readonly<Record<string, number>> {
  return Object.fromEntries([...forks].map(([name, { timeSec }]) => [name, timeSec]))
}

function refusal(dataDir: string, { network }: NewerForkTimes, mistakes: readonly string[]): AssemblyError {
  return new AssemblyError(
    'node/usage',
    `the fork times for ${network} in ${dataDir}/fork-times.json cannot be used: ${mistakes.join('; ')}; install a release that knows ` +
      'the network as it is now, or remove the file to go on with the times of this release',
  )
}
