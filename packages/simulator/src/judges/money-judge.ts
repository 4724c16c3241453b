/** No wei appears or disappears, on either chain. */
import { OWN_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { l1InfoOf } from '@keelson/derivation'
import {
  type Address,
  BASE_FEE_VAULT,
  L1_FEE_VAULT,
  L2_CROSS_DOMAIN_MESSENGER,
  L2_STANDARD_BRIDGE,
  L2_TO_L1_MESSAGE_PASSER,
  OPERATOR_FEE_VAULT,
  SEQUENCER_FEE_VAULT,
} from '@keelson/primitives'
import { FAUCET_ADDRESS, FAUCET_FUNDS_WEI } from '../apps/faucet-role.ts'
import type { L1Block } from '../l1/l1-block.ts'
import type { SimulatedL1 } from '../l1/simulated-l1.ts'
import { bridgeUserAddresses } from '../roles/bridge-users.ts'
import { EXCHANGE_FUNDS_WEI, PARAMETERS, USER_FUNDS_WEI } from '../roles/rollup-network.ts'
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { RunningNode } from '../roles/simulated-node.ts'
import { Users } from '../roles/users.ts'
import { OWNER_FUNDS_WEI, ownerAddresses } from '../staking/validator-accounts.ts'
import { unsafeStateOf } from './unsafe-state.ts'
import type { ReportViolation } from './violation.ts'

/** Withdrawn wei stay in the message passer, those of pools and traders in the contract that wraps them. */
const HOLDERS: readonly Address[] = [
  SEQUENCER_FEE_VAULT,
  BASE_FEE_VAULT,
  L1_FEE_VAULT,
  OPERATOR_FEE_VAULT,
  L2_CROSS_DOMAIN_MESSENGER,
  L2_STANDARD_BRIDGE,
  L2_TO_L1_MESSAGE_PASSER,
  PREDEPLOYS.WETH,
  OWN_CONTRACTS.Staking,
]

/** What users had, and what L1 deposited up to the origin of the node's head, is on L2. */
export async function judgeL2Money(
  { l1, crypto, apps }: RollupWorld,
  name: string,
  node: RunningNode,
  report: ReportViolation,
): Promise<void> {
  const { hash, number, balanceWei } = unsafeStateOf(node)
  const [first] = node.execution.chain.block(hash)?.transactions ?? []
  const origin = number === 0 ? l1.genesis.hash : l1InfoOf(first).hash
  const depositedWei = l1.block(origin)?.state.depositedWei
  if (depositedWei === undefined) {
    report('L2 follows L1', `${name}, block ${number}: its L1 origin ${origin} never existed`)
    return
  }
  const owners = ownerAddresses(crypto)
  const stakersWei = OWNER_FUNDS_WEI * BigInt(owners.length) + PARAMETERS.stakingPoolWei
  const expectedWei = USER_FUNDS_WEI * BigInt(Users.addresses.length) + EXCHANGE_FUNDS_WEI + FAUCET_FUNDS_WEI + stakersWei + depositedWei
  let totalWei = 0n
  for (const address of [
    ...Users.addresses,
    ...bridgeUserAddresses(crypto),
    FAUCET_ADDRESS,
    ...apps.faucetUsers.recipients,
    ...owners,
    ...HOLDERS,
  ]) {
    totalWei += await balanceWei(address)
  }
  if (totalWei === expectedWei) return
  report('money is conserved', `${name}, block ${number}: ${totalWei} wei instead of ${expectedWei}`)
}

/** Balances and burnt fees add up to the initial funds. */
export function judgeL1Money(l1: SimulatedL1, report: ReportViolation): void {
  const totalWei = ({ state }: L1Block) => [...state.accounts.values()].reduce((sum, { balanceWei }) => sum + balanceWei, state.burntWei)
  const [expected, found] = [totalWei(l1.block(0) as L1Block), totalWei(l1.head)]
  if (found !== expected) report('money is conserved', `L1, block ${l1.head.header.number}: ${found} wei instead of ${expected}`)
}
