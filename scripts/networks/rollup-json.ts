/**
 * Derives rollup.json like op-node (op-node/rollup/superchain.go): Regolith at genesis, Bedrock's channel timeout, the chain's
 * fork times. These include inherited ones since version 2 of the registry (docs/hardfork-activation-inheritance.md).
 */
import type { RegistryChain } from './registry-chain.ts'

/** op-node's constant for registry chains; Granite shortens it to 50. */
const CHANNEL_TIMEOUT_BEDROCK_L1_BLOCKS = 300

export function rollupJson(chain: RegistryChain, laterForks: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { genesis, eip1559, addresses } = chain
  return {
    genesis: {
      l1: genesis.l1,
      l2: genesis.l2,
      l2_time: genesis.l2TimeSec,
      system_config: {
        batcherAddr: genesis.systemConfig.batcherAddress,
        overhead: genesis.systemConfig.overhead,
        scalar: genesis.systemConfig.scalar,
        gasLimit: genesis.systemConfig.gasLimit,
      },
    },
    block_time: chain.blockTimeSec,
    max_sequencer_drift: chain.maxSequencerDriftSec,
    seq_window_size: chain.sequencingWindowL1Blocks,
    channel_timeout: CHANNEL_TIMEOUT_BEDROCK_L1_BLOCKS,
    l1_chain_id: chain.l1ChainId,
    l2_chain_id: chain.chainId,
    regolith_time: 0,
    ...chain.hardforks,
    ...laterForks,
    batch_inbox_address: chain.batchInbox,
    deposit_contract_address: addressOf(addresses, 'OptimismPortalProxy', chain.id),
    l1_system_config_address: addressOf(addresses, 'SystemConfigProxy', chain.id),
    ...(chain.protocolVersions === null ? {} : { protocol_versions_address: chain.protocolVersions }),
    chain_op_config: {
      eip1559Elasticity: eip1559.elasticity,
      eip1559Denominator: eip1559.denominator,
      eip1559DenominatorCanyon: eip1559.denominatorCanyon,
    },
  }
}

function addressOf(addresses: Readonly<Record<string, string>>, name: string, id: string): string {
  const found = addresses[name]
  if (found === undefined) throw new Error(`${id} has no ${name}`)
  return found.toLowerCase()
}

/** Forks that the chain should inherit from its superchain but does not list. Rule: docs/hardfork-activation-inheritance.md. */
export function missingInheritedForks(chain: RegistryChain, superchain: Readonly<Record<string, number | boolean>>): string[] {
  const from = chain.superchainTimeSec
  if (from === null) return []
  return Object.entries(superchain)
    .filter(([key, time]) => typeof time === 'number' && time >= from && !(key in chain.hardforks))
    .map(([key]) => key)
}
