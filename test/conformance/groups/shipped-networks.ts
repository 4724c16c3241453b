import assert from 'node:assert/strict'
import { join } from 'node:path'
import { FORKS } from '@keelson/chainspec'
import {
  readGenesisBlock,
  readNetworkJson,
  readPublicNetwork,
  readRollupConfig,
} from '../../../packages/devnet/src/network-files/network-files.ts'
import { networksFolder, shippedNetworks } from '../../../packages/node/src/networks/shipped-networks.ts'
import { ANNOUNCED_FORKS } from '../../../scripts/networks/announced-forks.ts'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'
import { type RegistryChain, registryChains } from './registry-configs.ts'

const FOLDER = 'registry/'

function check(name: string, { chain, l1ChainId }: RegistryChain, genesis: (() => unknown) | null): void {
  const folder = join(networksFolder(), name)
  const rollup = readRollupConfig(folder)
  assert.equal(rollup.l2ChainId, BigInt(chain.chain_id))
  assert.equal(rollup.l1ChainId, BigInt(l1ChainId))
  checkForks(folder, chain)
  for (const fork of FORKS) {
    const time = chain.hardforks[`${fork}_time`]
    if (time !== undefined) assert.equal(rollup.forks.activationTimeSec(fork), time, fork)
  }
  assert.equal(rollup.keepKarstUpgradeGas, chain.hardforks.keep_karst_upgrade_gas ?? false)
  assert.equal(rollup.pectraBlobScheduleTimeSec, chain.hardforks.pectra_blob_schedule_time ?? null)
  assert.equal(rollup.depositContract, chain.addresses.OptimismPortalProxy.toLowerCase())
  assert.equal(rollup.systemConfigContract, chain.addresses.SystemConfigProxy.toLowerCase())
  assert.equal(rollup.batchInbox, chain.batch_inbox_addr.toLowerCase())
  assert.equal(rollup.blockTimeSec, chain.block_time)
  assert.deepEqual(rollup.genesis.l1, { ...chain.genesis.l1 })
  assert.deepEqual(rollup.genesis.l2, { ...chain.genesis.l2 })
  assert.equal(rollup.genesis.l2TimestampSec, chain.genesis.l2_time)
  assert.equal(rollup.eip1559.denominatorCanyon, chain.optimism.eip1559_denominator_canyon)
  assert.equal(readGenesisBlock(folder, rollup).header.number, chain.genesis.l2.number)
  if (genesis === null || readPublicNetwork(folder)?.state !== 'genesis') return
  const same = JSON.stringify(readNetworkJson(folder, 'genesis.json')) === JSON.stringify(genesis())
  assert.ok(same, 'genesis.json differs from that of the registry')
}

/** Expects the registry's and the announced times; Regolith's is from op-node. */
function checkForks(folder: string, chain: RegistryChain['chain']): void {
  const shipped = readNetworkJson(folder, 'rollup.json') as Readonly<Record<string, unknown>>
  const times = Object.entries(shipped).filter(([key]) => key.endsWith('_time') && !['block_time', 'regolith_time'].includes(key))
  const stated = Object.entries(chain.hardforks).filter(([key]) => key.endsWith('_time'))
  const announced = ANNOUNCED_FORKS[readPublicNetwork(folder)?.source.chain ?? '']?.forks
  assert.deepEqual(Object.fromEntries(times), { ...announced, ...Object.fromEntries(stated) })
}

function casesOf(folder: VectorFolder): ConformanceCase[] {
  const chains = registryChains(folder)
  return shippedNetworks().flatMap((name) => {
    const source = readPublicNetwork(join(networksFolder(), name))?.source.chain
    const found = chains.find(({ id }) => id.split('/').slice(1).join('/') === `${source}.toml`)
    if (found === undefined || source === undefined) return []
    const genesis = `${FOLDER}genesis/${source.replace('/', '--')}.json`
    const path = [genesis, `${genesis}.gz`].find((each) => folder.has(each))
    return [{ id: name, run: () => check(name, found, path === undefined ? null : () => folder.json(path)) }]
  })
}

export const shippedNetworksGroup: ConformanceGroup = {
  name: 'shipped-networks',
  under: [FOLDER],
  load: (folder) => (folder.paths(FOLDER, /\.toml$/).length === 0 ? [] : casesOf(folder)),
}
