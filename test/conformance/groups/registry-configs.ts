import assert from 'node:assert/strict'
import { ChainspecError, FORKS, loadRollupConfig, rollupConfigToJson } from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'
import { parse } from 'smol-toml'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'

interface ChainToml {
  readonly chain_id: number
  readonly batch_inbox_addr: string
  readonly block_time: number
  readonly seq_window_size: number
  readonly max_sequencer_drift: number
  readonly hardforks: Readonly<Record<string, number | boolean>>
  readonly optimism: {
    readonly eip1559_elasticity: number
    readonly eip1559_denominator: number
    readonly eip1559_denominator_canyon: number
  }
  readonly genesis: {
    readonly l2_time: number
    readonly l1: { readonly hash: string; readonly number: number }
    readonly l2: { readonly hash: string; readonly number: number }
    readonly system_config: {
      readonly batcherAddress: string
      readonly overhead: string
      readonly scalar: string
      readonly gasLimit: number
    }
  }
  readonly addresses: { readonly OptimismPortalProxy: string; readonly SystemConfigProxy: string }
  readonly alt_da?: Readonly<Record<string, unknown>>
}

/** As in op-node, Regolith is active at genesis, with Bedrock's channel timeout. */
export function registryRollupJson(chain: ChainToml, l1ChainId: number): Record<string, unknown> {
  return {
    genesis: {
      l1: chain.genesis.l1,
      l2: chain.genesis.l2,
      l2_time: chain.genesis.l2_time,
      system_config: {
        batcherAddr: chain.genesis.system_config.batcherAddress,
        overhead: chain.genesis.system_config.overhead,
        scalar: chain.genesis.system_config.scalar,
        gasLimit: chain.genesis.system_config.gasLimit,
      },
    },
    block_time: chain.block_time,
    max_sequencer_drift: chain.max_sequencer_drift,
    seq_window_size: chain.seq_window_size,
    channel_timeout: 300,
    l1_chain_id: l1ChainId,
    l2_chain_id: chain.chain_id,
    regolith_time: 0,
    ...chain.hardforks,
    batch_inbox_address: chain.batch_inbox_addr,
    deposit_contract_address: chain.addresses.OptimismPortalProxy,
    l1_system_config_address: chain.addresses.SystemConfigProxy,
    chain_op_config: {
      eip1559Elasticity: chain.optimism.eip1559_elasticity,
      eip1559Denominator: chain.optimism.eip1559_denominator,
      eip1559DenominatorCanyon: chain.optimism.eip1559_denominator_canyon,
    },
    ...(chain.alt_da === undefined ? {} : { alt_da: chain.alt_da }),
  }
}

export interface RegistryChain {
  readonly id: string
  readonly chain: ChainToml
  readonly l1ChainId: number
}

const FOLDER = 'registry/'
const CHAIN = /^registry\/configs[^/]*\/[^/]+\/[^/]+\.toml$/
const SUPERCHAIN = /\/superchain\.toml$/

function readRegistryChain(folder: VectorFolder, path: string): RegistryChain | null {
  if (SUPERCHAIN.test(path)) return null
  const [set = '', network = ''] = path.slice(FOLDER.length).split('/')
  const superchainPath = [set, 'configs'].map((each) => `${FOLDER}${each}/${network}/superchain.toml`).find((each) => folder.has(each))
  if (superchainPath === undefined) throw new Error(`no superchain.toml says which L1 the chains of ${network} have`)
  const superchain = parse(folder.text(superchainPath)) as unknown as { readonly l1: { readonly chain_id: number } }
  return { id: path.slice(FOLDER.length), chain: parse(folder.text(path)) as unknown as ChainToml, l1ChainId: superchain.l1.chain_id }
}

export function registryChains(folder: VectorFolder): readonly RegistryChain[] {
  return folder.paths(FOLDER, CHAIN).flatMap((path) => {
    try {
      return readRegistryChain(folder, path) ?? []
    } catch {
      return []
    }
  })
}

function checkChain(chain: ChainToml, l1ChainId: number): void {
  const json = registryRollupJson(chain, l1ChainId)
  const config = loadRollupConfig(json)
  for (const fork of FORKS) {
    const expected = fork === 'bedrock' || fork === 'regolith' ? 0 : (chain.hardforks[`${fork}_time`] ?? null)
    assert.equal(config.forks.activationTimeSec(fork), expected, fork)
  }
  assert.deepEqual(config.forks.executionForkTimesSec, executionForkTimes(chain))
  assert.equal(config.l2ChainId, BigInt(chain.chain_id))
  assert.equal(config.genesis.l2.hash, chain.genesis.l2.hash.toLowerCase())
  assert.equal(config.pectraBlobScheduleTimeSec, chain.hardforks.pectra_blob_schedule_time ?? null)
  assert.equal(config.keepKarstUpgradeGas, chain.hardforks.keep_karst_upgrade_gas ?? false)
  const { baseFeeConstants } = config.forks.blockRules(l2Time(Number.MAX_SAFE_INTEGER))
  assert.equal(baseFeeConstants.denominator, BigInt(chain.optimism.eip1559_denominator_canyon))
  const written = rollupConfigToJson(config)
  assert.deepEqual(rollupConfigToJson(loadRollupConfig(JSON.parse(JSON.stringify(written)))), written)
}

/** op-geth configures every time of the registry but these two, which concern derivation. */
function executionForkTimes({ hardforks }: ChainToml): readonly number[] {
  const times = Object.entries(hardforks).flatMap(([key, time]) =>
    key.endsWith('_time') && key !== 'delta_time' && key !== 'pectra_blob_schedule_time' ? Number(time) : [],
  )
  return [...new Set([0, ...times])].sort((a, b) => a - b)
}

function checkRefused(chain: ChainToml, l1ChainId: number): void {
  assert.throws(
    () => loadRollupConfig(registryRollupJson(chain, l1ChainId)),
    (error) =>
      error instanceof ChainspecError &&
      error.mistakes.length === 1 &&
      /^alt_da: .*not supported/.test(error.message.split(': ').slice(1).join(': ')),
  )
}

function casesOf({ id, chain, l1ChainId }: RegistryChain): ConformanceCase[] {
  if (chain.alt_da === undefined) return [{ id, run: () => checkChain(chain, l1ChainId) }]
  return [{ id: `${id} (refused: its data is not on L1)`, run: () => checkRefused(chain, l1ChainId) }]
}

export const registryConfigs: ConformanceGroup = {
  name: 'registry-configs',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, CHAIN), (path) => {
      const found = readRegistryChain(folder, path)
      return found === null ? null : casesOf(found)
    }),
}
