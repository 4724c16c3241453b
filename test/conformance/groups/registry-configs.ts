/** Every chain of the public registry: its TOML becomes a rollup.json, loads, and comes out the same again. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ChainspecError, FORKS, loadRollupConfig, rollupConfigToJson } from '@keelson/chainspec'
import { l2Time } from '@keelson/primitives'
import { parse } from 'smol-toml'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

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

/** What op-node makes of a registry entry: Regolith at genesis, the channel timeout of Bedrock. */
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

function readToml<T>(path: string): T {
  return parse(readFileSync(path, 'utf8')) as T
}

export function* registryChains(
  directory: string,
): Generator<{ readonly id: string; readonly chain: ChainToml; readonly l1ChainId: number }> {
  for (const set of ['configs', 'configs-removed']) {
    const networks = readdirSync(join(directory, set), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name: network } of networks) {
      const superchain = readToml<{ l1: { chain_id: number } }>(join(directory, 'configs', network, 'superchain.toml'))
      for (const file of readdirSync(join(directory, set, network))) {
        if (file === 'superchain.toml') continue
        const chain = readToml<ChainToml>(join(directory, set, network, file))
        yield { id: `${set}/${network}/${file}`, chain, l1ChainId: superchain.l1.chain_id }
      }
    }
  }
}

function checkChain(chain: ChainToml, l1ChainId: number): void {
  const json = registryRollupJson(chain, l1ChainId)
  const config = loadRollupConfig(json)
  for (const fork of FORKS) {
    const expected = fork === 'bedrock' || fork === 'regolith' ? 0 : (chain.hardforks[`${fork}_time`] ?? null)
    assert.equal(config.forks.activationTimeSec(fork), expected, fork)
  }
  assert.equal(config.l2ChainId, BigInt(chain.chain_id))
  assert.equal(config.genesis.l2.hash, chain.genesis.l2.hash.toLowerCase())
  assert.equal(config.pectraBlobScheduleTimeSec, chain.hardforks.pectra_blob_schedule_time ?? null)
  assert.equal(config.keepKarstUpgradeGas, chain.hardforks.keep_karst_upgrade_gas ?? false)
  const { baseFeeConstants } = config.forks.blockRules(l2Time(Number.MAX_SAFE_INTEGER))
  assert.equal(baseFeeConstants.denominator, BigInt(chain.optimism.eip1559_denominator_canyon))
  const written = rollupConfigToJson(config)
  assert.deepEqual(rollupConfigToJson(loadRollupConfig(JSON.parse(JSON.stringify(written)))), written)
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

export const registryConfigs: ConformanceGroup = {
  name: 'registry-configs',
  load(vectors): ConformanceCase[] {
    const cases = [...registryChains(join(vectors, 'registry'))].map(({ id, chain, l1ChainId }) => ({
      id: chain.alt_da === undefined ? id : `${id} (refused: its data is not on L1)`,
      run: () => (chain.alt_da === undefined ? checkChain(chain, l1ChainId) : checkRefused(chain, l1ChainId)),
    }))
    assert.ok(cases.length >= 50, `expected the configs of at least 50 chains, got ${cases.length}`)
    return cases
  },
}
