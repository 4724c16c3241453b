/** Every genesis of the public registry: the state root of its accounts and the hash of the block they make. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { genesisHeader, loadGenesis, loadRollupConfig } from '@keelson/chainspec'
import { hashHeader, L2_TO_L1_MESSAGE_PASSER, l2Time } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { registryChains, registryRollupJson } from './registry-configs.ts'

/** Their first L2 block was made from an older chain, not from these accounts (the vectors' README). */
const MIGRATED = new Set(['mainnet--op', 'mainnet--boba', 'sepolia--boba', 'mainnet--celo'])

export const registryGenesis: ConformanceGroup = {
  name: 'registry-genesis',
  load(vectors): ConformanceCase[] {
    const directory = join(vectors, 'registry')
    const chains = new Map(
      [...registryChains(directory)].map((entry) => [entry.id.split('/').slice(1).join('--').replace('.toml', ''), entry]),
    )
    const names = readdirSync(join(directory, 'genesis')).map((file) => file.replace('.json.gz', ''))
    const cases = names
      .filter((name) => !MIGRATED.has(name))
      .map((name) => ({
        id: name,
        run: () => {
          const entry = chains.get(name)
          assert.ok(entry !== undefined, `no configuration named ${name}`)
          const { alt_da: _, ...chain } = entry.chain
          const config = loadRollupConfig(registryRollupJson(chain, entry.l1ChainId))
          const genesis = loadGenesis(JSON.parse(gunzipSync(readFileSync(join(directory, 'genesis', `${name}.json.gz`))).toString()))
          const state = computeGenesisState(genesis.accounts)
          const rules = config.forks.blockRules(l2Time(genesis.timestampSec))
          const header = genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
          assert.equal(hashHeader(header), config.genesis.l2.hash)
        },
      }))
    assert.ok(cases.length >= 39, `expected the genesis of at least 39 chains, got ${cases.length}`)
    return cases
  },
}
