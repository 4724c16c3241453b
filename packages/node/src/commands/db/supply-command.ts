import type { RollupConfig } from '@keelson/chainspec'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { readGenesisBlock } from '@keelson/devnet/network-files'
import type { SupplyParams } from '@keelson/execution'
import { BASE_FEE_VAULT, L1_FEE_VAULT, L2_TO_L1_MESSAGE_PASSER, OPERATOR_FEE_VAULT, SEQUENCER_FEE_VAULT } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import { AssemblyError } from '../../errors.ts'

export const HELD_APART = {
  'base fee vault': BASE_FEE_VAULT,
  'L1 fee vault': L1_FEE_VAULT,
  'operator fee vault': OPERATOR_FEE_VAULT,
  'sequencer fee vault': SEQUENCER_FEE_VAULT,
  'staking contract': OWN_CONTRACTS.Staking,
} as const

/** Without a network, counting begins at the oldest state. Throws AssemblyError `node/usage`. */
export function supplyParams(network: { readonly folder: string; readonly rollup: RollupConfig } | null): SupplyParams {
  const held = Object.values(HELD_APART)
  if (network === null) return { held }
  const { header, accounts } = readGenesisBlock(network.folder, network.rollup)
  const balances = new Map<string, bigint>()
  const alloc = [...accounts]
  for (const { address, balanceWei } of alloc) balances.set(address, balanceWei)
  const { stateRoot } = computeGenesisState(alloc)
  if (stateRoot !== header.stateRoot) {
    throw new AssemblyError(
      'node/usage',
      `the accounts of genesis.json in ${network.folder} have the state root ${stateRoot}; the first block says ${header.stateRoot}`,
    )
  }
  const totalWei = [...balances.values()].reduce((sum, wei) => sum + wei, 0n)
  const passerWei = balances.get(L2_TO_L1_MESSAGE_PASSER) ?? 0n
  return { held, genesis: { hash: network.rollup.genesis.l2.hash, totalWei: `${totalWei}`, passerWei: `${passerWei}` } }
}
