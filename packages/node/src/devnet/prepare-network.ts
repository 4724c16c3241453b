/** The files of the development network: made for a new chain, held against what is asked for when they are there. */
import { ETH_FORKS, type EthFork, FORKS, type Fork } from '@keelson/chainspec'
import type { EvmEngine } from '@keelson/evm'
import { bytesToHex, encodeHeader } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'
import type { DevnetGenesis } from '../genesis/build-devnet-genesis.ts'
import { l2GenesisHeader } from '../genesis/devnet-config.ts'
import { DEFAULT_DEVNET_PARAMETERS } from '../genesis/devnet-parameters.ts'
import { openDevnetGenesis } from '../genesis/open-devnet-genesis.ts'
import { writeDevnetFiles } from '../genesis/write-devnet-files.ts'
import { DEFAULT_CURRENCY_SYMBOL, hasNetwork, readKeelsonFile, readRollupConfig, writeKeelsonFile } from '../network.ts'

export interface NetworkChoice {
  /** Null: what the chain has, or the default for a new one. */
  readonly fork: Fork | null
  readonly l1Fork: EthFork | null
  readonly symbol: string | null
  readonly allowSameChainId: boolean
}

/**
 * Returns contract addresses and L1's genesis. Throws AssemblyError `node/usage` when the folder's chain is another
 * than asked for, ChainspecError when its rollup.json cannot be used.
 */
export async function prepareNetwork(
  folder: string,
  choice: NetworkChoice,
  nowMs: number,
  engine: () => EvmEngine,
): Promise<DevnetGenesis> {
  if (hasNetwork(folder)) {
    assertSameChain(folder, choice)
    const { genesis } = readRollupConfig(folder, { allowSameChainId: choice.allowSameChainId })
    const kept = await openDevnetGenesis({ genesisTimeSec: genesis.l2TimestampSec, engine })
    return { ...kept, parameters: { ...kept.parameters, l1Fork: keptL1Fork(folder) } }
  }
  const fork = choice.fork ?? DEFAULT_DEVNET_PARAMETERS.fork
  const l1Fork = choice.l1Fork ?? DEFAULT_DEVNET_PARAMETERS.l1Fork
  const genesis = await openDevnetGenesis({ genesisTimeSec: Math.floor(nowMs / 1000), changes: { fork, l1Fork }, engine })
  writeKeelsonFile(folder, {
    currencySymbol: choice.symbol ?? DEFAULT_CURRENCY_SYMBOL,
    fork,
    l1Fork,
    genesisHeader: bytesToHex(encodeHeader(l2GenesisHeader(genesis))),
  })
  writeDevnetFiles(folder, genesis)
  return genesis
}

/** The fork of L1 is on anvil's command line, so a chain that goes on needs the one it began with. */
function keptL1Fork(folder: string): EthFork {
  const kept = readKeelsonFile(folder).l1Fork
  return ETH_FORKS.find((known) => known === kept) ?? DEFAULT_DEVNET_PARAMETERS.l1Fork
}

/** Forks and symbol are of the chain, made with it: another wish for an old chain would otherwise go unheard. */
function assertSameChain(folder: string, { fork, l1Fork, symbol }: NetworkChoice): void {
  const kept = readKeelsonFile(folder)
  const keptFork = FORKS.find((known) => known === kept.fork) ?? DEFAULT_DEVNET_PARAMETERS.fork
  const keptSymbol = kept.currencySymbol ?? DEFAULT_CURRENCY_SYMBOL
  const differing = [
    ...(fork === null || fork === keptFork ? [] : [`--fork ${fork} (it has ${keptFork})`]),
    ...(l1Fork === null || l1Fork === keptL1Fork(folder) ? [] : [`--l1.fork ${l1Fork} (it has ${keptL1Fork(folder)})`]),
    ...(symbol === null || symbol === keptSymbol ? [] : [`--symbol ${symbol} (it has ${keptSymbol})`]),
  ]
  if (differing.length === 0) return
  throw new AssemblyError(
    'node/usage',
    `the chain in ${folder} was made without ${differing.join(' and ')}: leave that out to go on with it, add --fresh to begin anew, ` +
      'or keep both with another --data-dir',
  )
}
