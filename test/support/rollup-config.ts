import {
  type Fork,
  type ForkTimes,
  forkTimesToJson,
  loadRollupConfig,
  type RollupConfig,
  type RollupConfigOptions,
  type UnsupportedFork,
} from '@keelson/chainspec'
import { type Address, type BlockId, toAddress } from '@keelson/primitives'

export interface RollupConfigRequest {
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly l1Genesis: BlockId
  readonly l2Genesis: BlockId & { readonly timestampSec: number }
  readonly batcher: Address
  readonly forks: ForkTimes
  readonly upgradeBundles?: RollupConfigOptions['upgradeBundles']
  readonly keepKarstUpgradeGas?: boolean
  readonly unsupportedFork?: UnsupportedFork
  readonly gasLimit?: bigint
  readonly blockTimeSec?: number
  readonly sequencingWindowL1Blocks?: number
  readonly maxSequencerDriftSec?: number
}

export const BATCH_INBOX = toAddress('0xff00000000000000000000000000000000084532')
export const PORTAL = toAddress('0x1111111111111111111111111111111111111111')
export const SYSTEM_CONFIG = toAddress('0x2222222222222222222222222222222222222222')
const LATER_FORKS = ['regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus', 'jovian'] as const
export const JOVIAN_FROM_GENESIS: ForkTimes = Object.fromEntries(LATER_FORKS.map((fork) => [fork, 0]))
const FEE_SCALAR = `0x01${'00'.repeat(23)}000c5fc500000558`

export function makeRollupConfig(request: RollupConfigRequest): RollupConfig {
  const { forks, l1Genesis, l2Genesis, unsupportedFork } = request
  const scheduled = (fork: keyof ForkTimes) => forks[fork] !== undefined && forks[fork] !== null
  const options = request.upgradeBundles === undefined ? {} : { upgradeBundles: request.upgradeBundles }
  const json = {
    genesis: {
      l1: { hash: l1Genesis.hash, number: l1Genesis.number },
      l2: { hash: l2Genesis.hash, number: l2Genesis.number },
      l2_time: l2Genesis.timestampSec,
      system_config: {
        batcherAddr: request.batcher,
        overhead: `0x${'00'.repeat(32)}`,
        scalar: FEE_SCALAR,
        gasLimit: Number(request.gasLimit ?? 30_000_000n),
        ...(scheduled('holocene') ? { eip1559Params: '0x000000fa00000006' } : {}),
        ...(scheduled('isthmus') ? { operatorFeeParams: `0x${'00'.repeat(32)}` } : {}),
        ...(scheduled('jovian') ? { minBaseFee: 0, daFootprintGasScalar: 400 } : {}),
      },
    },
    block_time: request.blockTimeSec ?? 2,
    max_sequencer_drift: request.maxSequencerDriftSec ?? 600,
    seq_window_size: request.sequencingWindowL1Blocks ?? 3600,
    channel_timeout: 300,
    l1_chain_id: Number(request.l1ChainId),
    l2_chain_id: Number(request.l2ChainId),
    ...forkTimesToJson(Object.entries(forks) as [Fork, number][], '_time'),
    ...(unsupportedFork === undefined ? {} : { [`${unsupportedFork.name}_time`]: unsupportedFork.timeSec }),
    keep_karst_upgrade_gas: request.keepKarstUpgradeGas ?? false,
    batch_inbox_address: BATCH_INBOX,
    deposit_contract_address: PORTAL,
    l1_system_config_address: SYSTEM_CONFIG,
    chain_op_config: { eip1559Elasticity: 6, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
  }
  return loadRollupConfig(json, options)
}
