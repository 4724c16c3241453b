import { decodeRevertReason } from '@keelson/evm'
import { bytesToHex, type Hex } from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'
import type { PoolRejected, PoolRejection } from '../txpool/pool-types.ts'
import { REJECTION_TEXTS, RPC_ERRORS, type RpcErrorName } from './error-texts.ts'

export function rpcError(name: RpcErrorName, rest = '', data?: unknown): RpcError {
  const [number, text] = RPC_ERRORS[name]
  return new RpcError(number, `${text}${rest}`, data)
}

export function rejectionText(reason: PoolRejection): string {
  return REJECTION_TEXTS[reason]
}

export function rejectionError(rejected: Pick<PoolRejected, 'reason' | 'detail'>): RpcError {
  const text = REJECTION_TEXTS[rejected.reason]
  const separator = rejected.reason === 'fee-above-cap' ? ' ' : ': '
  return new RpcError(RPC_ERROR_NUMBERS.server, rejected.detail === '' ? text : `${text}${separator}${rejected.detail}`)
}

/** Error -32000, for messages that client libraries need not recognize. */
export function serverError(message: string, data?: unknown): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.server, message, data)
}

/** Error code 3. Always has data: an empty revert has "0x". */
export function revertError(output: Uint8Array): RpcError {
  const reason = decodeRevertReason(output)
  const text = reason === null ? 'execution reverted' : `execution reverted: ${reason}`
  return new RpcError(RPC_ERROR_NUMBERS.executionReverted, text, bytesToHex(output) as Hex)
}

export const filterNotFound = () => rpcError('filterNotFound')
export const headerNotFound = () => rpcError('headerNotFound')
export const unknownBlock = () => rpcError('unknownBlock')
