import assert from 'node:assert/strict'
import { genesisHeader, loadGenesis, loadRollupConfig } from '@keelson/chainspec'
import { hashHeader, L2_TO_L1_MESSAGE_PASSER, l2Time } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'
import { type RegistryChain, registryChains, registryRollupJson } from './registry-configs.ts'

const FOLDER = 'registry/'
const MIGRATED = 'the first rollup block was made from an older chain, not from these accounts'

function check(folder: VectorFolder, path: string, { chain: whole, l1ChainId }: RegistryChain): void {
  const { alt_da: _, ...chain } = whole
  const config = loadRollupConfig(registryRollupJson(chain, l1ChainId))
  const genesis = loadGenesis(folder.json(path))
  const state = computeGenesisState(genesis.accounts)
  const rules = config.forks.blockRules(l2Time(genesis.timestampSec))
  const header = genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
  assert.equal(hashHeader(header), config.genesis.l2.hash)
}

export const registryGenesis: ConformanceGroup = {
  name: 'registry-genesis',
  under: [FOLDER],
  load(folder): ConformanceCase[] {
    const nameOf = ({ id }: RegistryChain) =>
      id
        .split('/')
        .slice(1)
        .join('--')
        .replace(/\.toml$/, '')
    const chains = new Map(registryChains(folder).map((found) => [nameOf(found), found]))
    return folder.casesOf(folder.paths(`${FOLDER}genesis/`, /\.json(\.gz)?$/), (path) => {
      const name = path.slice(`${FOLDER}genesis/`.length).replace(/\.json(\.gz)?$/, '')
      const found = chains.get(name)
      assert.ok(found !== undefined, `no configuration is named ${name}`)
      if (found.chain.genesis.l2.number === 0) return [{ id: name, run: () => check(folder, path, found) }]
      folder.leaveOut(MIGRATED)
      return []
    })
  },
}
