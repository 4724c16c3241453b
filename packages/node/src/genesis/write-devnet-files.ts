/** Writes the files a network is started from into one folder; every role and other clients read these. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { genesisToJson } from '@keelson/chainspec'
import type { BlockId } from '@keelson/primitives'
import { anvilGenesisState } from './anvil-state.ts'
import type { DevnetGenesis } from './build-devnet-genesis.ts'
import { devnetL1ChainJson, devnetRollupJson } from './devnet-config.ts'

export interface DevnetFilePaths {
  readonly rollup: string
  /** L2, geth's format. */
  readonly genesis: string
  /** L1, geth's format, as anvil's `--init` takes it. */
  readonly l1Genesis: string
  /** L1 as anvil's `--state` takes it on the first start. */
  readonly anvilState: string
  readonly l1Chain: string
  readonly addresses: string
}

/** `l1Genesis` overrides the predicted first block of anvil. */
export function writeDevnetFiles(folder: string, genesis: DevnetGenesis, l1Genesis?: BlockId): DevnetFilePaths {
  mkdirSync(folder, { recursive: true })
  const writeText = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, `${text}\n`)
    return path
  }
  const write = (name: string, content: unknown, indent = 0) => writeText(name, JSON.stringify(content, null, indent))
  return {
    rollup: write('rollup.json', devnetRollupJson(genesis, l1Genesis), 2),
    genesis: writeText('genesis.json', genesis.l2Json()),
    l1Genesis: write('l1-genesis.json', genesisToJson(genesis.l1)),
    anvilState: write('anvil-genesis-state.json', anvilGenesisState(genesis)),
    l1Chain: write('l1-chain.json', devnetL1ChainJson(genesis.parameters), 2),
    addresses: write('addresses.json', genesis.addresses, 2),
  }
}
