import { EVMError, type ExecResult } from '@ethereumjs/evm'
import type { CallResult } from '../ports.ts'

const FIRST_HARDFORK = 'chainstart'

export function callStatus(result: ExecResult, hardfork: string): CallResult['status'] {
  const error = result.exceptionError?.error
  if (error === undefined) return 'success'
  if (error === EVMError.errorMessages.REVERT) return 'revert'
  // Frontier kept a new contract without paying for its code.
  if (error === EVMError.errorMessages.CODESTORE_OUT_OF_GAS && hardfork === FIRST_HARDFORK) return 'success'
  return 'halt'
}
