import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { genesisToJson, rollupConfigToJson } from '@keelson/chainspec'
import { laterForksGethConfig } from '../geth-config.ts'
import { anvilGenesisState } from './anvil-state.ts'
import type { DevnetGenesis } from './build-devnet-genesis.ts'
import { type DevnetChanges, devnetL1ChainJson, devnetRollupConfig } from './devnet-config.ts'

export interface DevnetFilePaths {
  readonly rollup: string
  readonly genesis: string
  /** Geth's format, for anvil's `--init`. */
  readonly l1Genesis: string
  /** For anvil's `--state` at the first start. */
  readonly anvilState: string
  readonly l1Chain: string
  readonly addresses: string
}

export function writeDevnetFiles(folder: string, genesis: DevnetGenesis, changes: DevnetChanges = {}): DevnetFilePaths {
  mkdirSync(folder, { recursive: true })
  const writeText = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, `${text}\n`)
    return path
  }
  const write = (name: string, content: unknown, indent = 0) => writeText(name, JSON.stringify(content, null, indent))
  const rollup = devnetRollupConfig(genesis, changes)
  return {
    rollup: write('rollup.json', rollupConfigToJson(rollup), 2),
    genesis: writeText('genesis.json', withGethConfig(genesis.l2Json(), laterForksGethConfig(rollup.forks, rollup.genesis.l2TimestampSec))),
    l1Genesis: write('l1-genesis.json', genesisToJson(genesis.l1)),
    anvilState: write('anvil-genesis-state.json', anvilGenesisState(genesis)),
    l1Chain: write('l1-chain.json', devnetL1ChainJson(genesis.parameters), 2),
    addresses: write('addresses.json', genesis.addresses, 2),
  }
}

const CONFIG_START = '"config":{'

/** Adds keys to `config` without parsing the 9 MB of accounts. */
function withGethConfig(genesisJson: string, keys: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(keys).slice(1, -1)
  return text === '' ? genesisJson : genesisJson.replace(CONFIG_START, `${CONFIG_START}${text},`)
}
