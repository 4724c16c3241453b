import { type ErrorDetails, NodeError } from '@keelson/primitives'

export type ContractErrorCode = 'contracts/abi-type' | 'contracts/abi-value' | 'contracts/abi-data' | 'contracts/artifact'

export class ContractError extends NodeError<ContractErrorCode> {
  readonly code: ContractErrorCode
  constructor(code: ContractErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, details, options)
    this.code = code
  }
}
