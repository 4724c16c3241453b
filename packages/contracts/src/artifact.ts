/** Compiled contracts, read only to build a genesis and therefore not bundled. */
import { type Hex, hexToBytes, isHex } from '@keelson/primitives'
import { ContractError } from './contract-error.ts'

/** Contracts from @eth-optimism/contracts-bedrock. */
export const L1_ARTIFACTS = [
  'AddressManager',
  'L1ChugSplashProxy',
  'L1CrossDomainMessenger',
  'L1ERC721Bridge',
  'L1StandardBridge',
  'L2OutputOracle',
  'OptimismMintableERC20Factory',
  'OptimismPortal',
  'Proxy',
  'ProxyAdmin',
  'ResolvedDelegateProxy',
  'SuperchainConfig',
] as const
export const L2_ARTIFACTS = [
  'BaseFeeVault',
  'DeployerWhitelist',
  'EAS',
  'GasPriceOracle',
  'L1Block',
  'L1BlockNumber',
  'L1FeeVault',
  'L2CrossDomainMessenger',
  'L2ERC721Bridge',
  'L2StandardBridge',
  'L2ToL1MessagePasser',
  'LegacyMessagePasser',
  'OptimismMintableERC20Factory',
  'OptimismMintableERC721Factory',
  'Proxy',
  'ProxyAdmin',
  'SchemaRegistry',
  'SequencerFeeVault',
  'WETH',
] as const
/** Contracts in solidity/. */
export const OWN_ARTIFACTS = ['Agents', 'DepositEntry', 'PriceFeed', 'Staking', 'SystemConfig', 'Tasks', 'TestToken'] as const
export type ArtifactName = (typeof L1_ARTIFACTS)[number] | (typeof L2_ARTIFACTS)[number] | (typeof OWN_ARTIFACTS)[number]

export interface AbiParameter {
  readonly name: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly AbiParameter[]
}

export interface AbiEntry {
  readonly type: 'constructor' | 'function' | 'event' | 'error' | 'receive' | 'fallback'
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
  readonly outputs?: readonly AbiParameter[]
  readonly stateMutability?: string
}

/** Bytes [offset, offset+size) from the low end of the slot. */
export interface StorageEntry {
  readonly label: string
  readonly slot: number
  readonly offset: number
  readonly type: string
}

export interface ContractArtifact {
  readonly name: ArtifactName
  readonly abi: readonly AbiEntry[]
  readonly storage: readonly StorageEntry[]
  /** Creation code, to which constructor arguments are appended. */
  readonly bytecode: Uint8Array
  /** Runtime code with zero immutables. */
  readonly deployedBytecode: Uint8Array
}

/** Throws ContractError `contracts/artifact`. */
export function decodeArtifact(json: unknown): ContractArtifact {
  const value = json as { name?: ArtifactName; abi?: AbiEntry[]; storage?: StorageEntry[]; bytecode?: Hex; deployedBytecode?: Hex }
  const { name, abi, storage, bytecode, deployedBytecode } = value ?? {}
  if (typeof name !== 'string' || !Array.isArray(abi) || !Array.isArray(storage) || !isHex(bytecode) || !isHex(deployedBytecode)) {
    throw new ContractError('contracts/artifact', 'expected a contract artifact with name, abi, storage, bytecode and deployedBytecode')
  }
  return { name, abi, storage, bytecode: hexToBytes(bytecode), deployedBytecode: hexToBytes(deployedBytecode) }
}

/** Throws ContractError `contracts/artifact`. */
export function getStorageSlot(artifact: ContractArtifact, label: string): number {
  const entry = artifact.storage.find((candidate) => candidate.label === label)
  if (!entry) throw new ContractError('contracts/artifact', `${artifact.name} has no storage variable "${label}"`)
  return entry.slot
}
