import { type Address, getContractAddress, type Hex } from 'viem'
import { type ContractChain, type Outcome, readOwnContract } from './contract-chain.ts'

export const STAKE = 10n ** 17n
export const TASK_PERIODS = { claimSec: 900, reviewSec: 600, arbitrationSec: 1200, unstakeSec: 3600 } as const
export const tasksAbi = readOwnContract('Tasks').abi
export const agentsAbi = readOwnContract('Agents').abi

export interface TaskContracts {
  readonly agents: Address
  readonly tasks: Address
  register(owner: number, agentId: Hex): Promise<Outcome>
  stake(from: number, agentId: Hex, valueWei: bigint): Promise<Outcome>
  enlist(owner: number, agentId: Hex): Promise<void>
}

export async function deployTaskContracts(chain: ContractChain, arbiter: number): Promise<TaskContracts> {
  const from = chain.accounts[0]?.address as Address
  // The contracts need each other's address, which follows from the deployer's nonce.
  const nonce = BigInt((await chain.reader.getTransactionCount({ address: from })) + 1)
  const agents = await chain.deploy(readOwnContract('Agents'), [
    STAKE,
    BigInt(TASK_PERIODS.unstakeSec),
    getContractAddress({ from, nonce }),
  ])
  const tasks = await chain.deploy(readOwnContract('Tasks'), [
    agents,
    chain.accounts[arbiter]?.address,
    TASK_PERIODS.claimSec,
    BigInt(TASK_PERIODS.reviewSec),
    BigInt(TASK_PERIODS.arbitrationSec),
  ])
  const toAgents = { to: agents, abi: agentsAbi }
  const contracts: TaskContracts = {
    agents,
    tasks,
    register: (from, agentId) => chain.send({ ...toAgents, from, name: 'register', args: [agentId, '', ''] }),
    stake: (from, agentId, valueWei) => chain.send({ ...toAgents, from, name: 'stakeETH', args: [agentId], valueWei }),
    async enlist(owner, agentId) {
      await contracts.register(owner, agentId)
      await contracts.stake(owner, agentId, STAKE)
    },
  }
  return contracts
}
