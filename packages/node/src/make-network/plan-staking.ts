/** The address depends only on parameters and salt, so a second run finds the first one's contract. */
import { type ContractReader, RpcResponseError } from '@keelson/client'
import { decodeUint, PREINSTALLS, STAKING_WORDS } from '@keelson/contracts'
import { type ContractFiles, encodeStakingParameters, type StakingParameters } from '@keelson/devnet/genesis'
import { type Address, concatBytes, type Hash, hexToBytes, keccak256, toAddress } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'

export interface StakingPlan {
  readonly address: Address
  readonly to: Address
  readonly data: Uint8Array
}

/** EIP-2935 contract, whose block hashes verify evidence. */
const BLOCK_HASHES = toAddress('0x0000f90827f1c53a10cb7a02335b175320002935')
const CREATE2_MARK = Uint8Array.of(0xff)

export function planStaking(contracts: ContractFiles, parameters: StakingParameters, salt: Hash): StakingPlan {
  const creation = concatBytes(contracts.artifact('Staking').bytecode, encodeStakingParameters(parameters))
  const proxy = PREINSTALLS.DeterministicDeploymentProxy
  const hash = keccak256(concatBytes(CREATE2_MARK, hexToBytes(proxy), hexToBytes(salt), keccak256(creation)))
  return { address: toAddress(hash.subarray(12)), to: proxy, data: concatBytes(hexToBytes(salt), creation) }
}

/** Throws AssemblyError `node/refused` if the chain lacks a requirement. */
export async function assertCanHold(reader: ContractReader, host: string): Promise<void> {
  for (const [address, what] of [
    [PREINSTALLS.DeterministicDeploymentProxy, 'the deterministic deployment proxy'],
    [BLOCK_HASHES, 'the contract of block hashes (EIP-2935), which comes with Isthmus'],
  ] as const) {
    if ((await reader.code(address)).length > 0) continue
    throw new AssemblyError('node/refused', `the chain of ${host} has no code at ${address}, ${what}; nothing was sent`)
  }
}

/** One line per parameter that differs on the chain. */
export async function stakingMistakes(reader: ContractReader, at: Address, parameters: StakingParameters): Promise<readonly string[]> {
  const mistakes: string[] = []
  for (const [name, expected] of [
    ['minimumStake', parameters.minimumStakeWei],
    ['epochBlocks', BigInt(parameters.epochBlocks)],
    ['dayBlocks', BigInt(parameters.dayBlocks)],
    ['unbondingBlocks', BigInt(parameters.unbondingBlocks)],
    ['seats', BigInt(parameters.seats)],
  ] as const) {
    const got = await ask(reader, at, STAKING_WORDS[name])
    if (got !== expected) mistakes.push(`${name} of ${at} is ${got ?? 'not answered'}, expected ${expected}`)
  }
  return mistakes
}

async function ask(reader: ContractReader, at: Address, data: Uint8Array): Promise<bigint | null> {
  try {
    return decodeUint(await reader.call(at, data))
  } catch (error) {
    if (error instanceof RpcResponseError) return null
    throw error
  }
}
