import { type ArtifactName, DEPOSIT_ENTRY, encodeCall, encodeParameters, OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, concatBytes } from '@keelson/primitives'
import type { ContractFiles } from './contract-files.ts'
import { type GenesisChain, type GenesisSession, runConstructor } from './genesis-session.ts'
import type { L1Addresses } from './l1-deployment.ts'
import type { NetworkParameters } from './network-parameters.ts'
import { encodeStakingParameters } from './staking-parameters.ts'

export interface OwnContractsOptions {
  readonly session: GenesisSession
  readonly chain: GenesisChain
  readonly contracts: ContractFiles
}

export async function placeOwnContracts(options: OwnContractsOptions, parameters: NetworkParameters): Promise<void> {
  const { agentMinimumStakeWei, agentUnstakeDelaySec, taskClaimSec, taskReviewSec, taskArbitrationSec } = parameters
  const agents = encodeParameters('uint256,uint256,address', [agentMinimumStakeWei, BigInt(agentUnstakeDelaySec), OWN_CONTRACTS.Tasks])
  const arbiter = parameters.roles.admin
  const tasks = [OWN_CONTRACTS.Agents, arbiter, ...[taskClaimSec, taskReviewSec, taskArbitrationSec].map(BigInt)]
  await place(options, 'Agents', OWN_CONTRACTS.Agents, agents)
  await place(options, 'Tasks', OWN_CONTRACTS.Tasks, encodeParameters('address,address,uint32,uint64,uint64', tasks))
  await place(options, 'Staking', OWN_CONTRACTS.Staking, encodeStakingParameters(parameters.staking))
  if (parameters.stakingPoolWei > 0n) await fillStakingPool(options.session, parameters.roles.admin, parameters.stakingPoolWei)
}

/** Calls `fund`, because the contract would not count a genesis balance as its pool. */
async function fillStakingPool(session: GenesisSession, from: Address, amountWei: bigint): Promise<void> {
  session.place(from, { balanceWei: amountWei })
  await session.call(from, OWN_CONTRACTS.Staking, encodeCall('fund()'), { valueWei: amountWei })
}

export async function placeDepositEntry(options: OwnContractsOptions, l1: L1Addresses): Promise<void> {
  await place(options, 'DepositEntry', DEPOSIT_ENTRY, encodeParameters('address', [l1.L1StandardBridge]))
}

async function place(
  { session, chain, contracts }: OwnContractsOptions,
  name: ArtifactName,
  address: Address,
  constructorArguments: Uint8Array,
): Promise<void> {
  const { code, storage } = await runConstructor(chain, concatBytes(contracts.artifact(name).bytecode, constructorArguments))
  session.place(address, { code, storage, nonce: 1n })
}
