/** This project's own contracts at their fixed addresses: constructors really run, their code is placed. */
import { type ArtifactName, DEPOSIT_ENTRY, encodeParameters, OWN_CONTRACTS } from '@keelson/contracts'
import { type Address, concatBytes } from '@keelson/primitives'
import type { ContractFiles } from './contract-files.ts'
import { DEV_ROLES } from './dev-accounts.ts'
import type { DevnetParameters } from './devnet-parameters.ts'
import { type GenesisChain, type GenesisSession, runConstructor } from './genesis-session.ts'
import type { L1Addresses } from './l1-deployment.ts'

export interface OwnContractsOptions {
  readonly session: GenesisSession
  readonly chain: GenesisChain
  readonly contracts: ContractFiles
}

/** On L2: who works, and what there is to do. The network's admin rules on disputes. */
export async function placeOwnContracts(options: OwnContractsOptions, parameters: DevnetParameters): Promise<void> {
  const { agentMinimumStakeWei, agentUnstakeDelaySec, taskReviewSec, taskArbitrationSec } = parameters
  await place(options, 'Agents', OWN_CONTRACTS.Agents, 'uint256,uint256', [agentMinimumStakeWei, BigInt(agentUnstakeDelaySec)])
  await place(options, 'Tasks', OWN_CONTRACTS.Tasks, 'address,address,uint64,uint64', [
    OWN_CONTRACTS.Agents,
    DEV_ROLES.admin.address,
    BigInt(taskReviewSec),
    BigInt(taskArbitrationSec),
  ])
}

/** On L1: deposits at the address the interface documents name. */
export async function placeDepositEntry(options: OwnContractsOptions, l1: L1Addresses): Promise<void> {
  await place(options, 'DepositEntry', DEPOSIT_ENTRY, 'address', [l1.L1StandardBridge])
}

async function place(
  { session, chain, contracts }: OwnContractsOptions,
  name: ArtifactName,
  address: Address,
  types: string,
  args: Parameters<typeof encodeParameters>[1],
): Promise<void> {
  const { code, storage } = await runConstructor(chain, concatBytes(contracts.artifact(name).bytecode, encodeParameters(types, args)))
  session.place(address, { code, storage, nonce: 1n })
}
