import assert from 'node:assert/strict'
import { loadRollupConfig } from '@keelson/chainspec'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type RegistryChain, registryChains, registryRollupJson } from './registry-configs.ts'

type Addresses = Readonly<Record<string, Readonly<Record<string, string>>>>
type ChainList = readonly { readonly identifier: string; readonly chainId: number }[]

const FOLDER = 'registry/'

function load({ chain, l1ChainId }: RegistryChain) {
  const { alt_da: _, ...onL1 } = chain
  return loadRollupConfig(registryRollupJson(onL1, l1ChainId))
}

function checkAddresses(found: RegistryChain, addresses: Readonly<Record<string, string>>): void {
  const config = load(found)
  assert.equal(config.depositContract, addresses.OptimismPortalProxy?.toLowerCase())
  assert.equal(config.systemConfigContract, addresses.SystemConfigProxy?.toLowerCase())
}

function casesOf(id: string, list: Addresses | ChainList, chains: readonly RegistryChain[]): ConformanceCase[] {
  if (Array.isArray(list))
    return (list as ChainList).flatMap(({ identifier, chainId }) =>
      chains
        .filter((found) => found.id === `configs/${identifier}.toml`)
        .map((found) => ({ id: `${id}/${identifier}`, run: () => assert.equal(load(found).l2ChainId, BigInt(chainId)) })),
    )
  return chains.flatMap((found) => {
    const addresses = (list as Addresses)[String(found.chain.chain_id)]
    return addresses === undefined ? [] : [{ id: `${id}/${found.id}`, run: () => checkAddresses(found, addresses) }]
  })
}

export const registryLists: ConformanceGroup = {
  name: 'registry-lists',
  under: [FOLDER],
  load(folder) {
    const lists = folder.paths(FOLDER, /^registry\/[^/]+\.json$/)
    if (lists.length === 0) return []
    const chains = registryChains(folder)
    return folder.casesOf(lists, (path) => casesOf(path.slice(FOLDER.length), folder.json(path), chains))
  },
}
