import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findGenesisTokens, type GenesisTokens } from '@keelson/apps/index'
import { loadGenesis } from '@keelson/chainspec'
import { loadNetworkFile } from '@keelson/devnet/network-files'

const FILE = 'genesis.json'

/** Null for a network whose first state is in no file, or too large. Throws DevnetError, ChainspecError. */
export function readGenesisTokens(network: string): GenesisTokens | null {
  if (![FILE, `${FILE}.gz`].some((name) => existsSync(join(network, name)))) return null
  return findGenesisTokens(loadNetworkFile(network, FILE, loadGenesis).accounts)
}
