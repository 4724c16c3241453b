import { NodeError } from '@keelson/primitives'

export type ContractErrorCode = 'contracts/abi-type' | 'contracts/abi-value' | 'contracts/abi-data' | 'contracts/artifact'

export class ContractError extends NodeError<ContractErrorCode> {}
