/**
 * One table from reasons to what wallets are told. Libraries match these texts, so they are geth's, to
 * the letter; what is particular to the case follows after a colon. See README.md, "Errors".
 */

import { decodeRevertReason } from '@keelson/evm'
import { bytesToHex, type Hex } from '@keelson/primitives'
import { RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'
import type { PoolRejected, PoolRejection } from '../txpool/pool-types.ts'

const REJECTION_TEXTS: Readonly<Record<PoolRejection, string>> = {
  'type-not-supported': 'transaction type not supported',
  'chain-id-mismatch': 'invalid sender: invalid chain id for signer',
  'nonce-too-low': 'nonce too low',
  'nonce-too-high': 'nonce too high',
  'nonce-max': 'nonce has max value',
  'sender-not-eoa': 'sender not an eoa',
  'tip-above-fee-cap': 'max priority fee per gas higher than max fee per gas',
  'fee-cap-below-base-fee': 'max fee per gas less than block base fee',
  'insufficient-funds': 'insufficient funds for gas * price + value',
  'intrinsic-gas': 'intrinsic gas too low',
  'floor-data-gas': 'insufficient gas for floor data gas cost',
  'tx-gas-cap': 'transaction gas limit too high',
  'block-gas-limit': 'exceeds block gas limit',
  'init-code-too-large': 'max initcode size exceeded',
  'blob-gas-limit': 'transaction type not supported',
  'blob-fee-cap-below-base-fee': 'max fee per blob gas less than block blob gas fee',
  'blob-count': 'transaction type not supported',
  'blob-hash-version': 'transaction type not supported',
  'empty-authorization-list': 'set code tx must have at least one authorization tuple',
  'da-footprint-limit': 'exceeds block gas limit',
  'already-known': 'already known',
  'replacement-underpriced': 'replacement transaction underpriced',
  underpriced: 'transaction underpriced',
  'pool-full': 'txpool is full',
  'account-limit': 'account limit exceeded',
  oversized: 'oversized data',
  deposit: 'transaction type not supported',
  'invalid-sender': 'invalid sender',
  unprotected: 'only replay-protected (EIP-155) transactions allowed over RPC',
  'fee-above-cap': 'tx fee exceeds the configured cap',
}

export function rejectionText(reason: PoolRejection): string {
  return REJECTION_TEXTS[reason]
}

/** A transaction was not accepted: -32000 with geth's text. */
export function rejectionError(rejected: Pick<PoolRejected, 'reason' | 'detail'>): RpcError {
  const text = REJECTION_TEXTS[rejected.reason]
  return new RpcError(RPC_ERROR_NUMBERS.server, rejected.detail === '' ? text : `${text}: ${rejected.detail}`)
}

export function serverError(message: string, data?: unknown): RpcError {
  return new RpcError(RPC_ERROR_NUMBERS.server, message, data)
}

/** Code 3 with the revert data, always: an empty revert carries "0x". */
export function revertError(output: Uint8Array): RpcError {
  const reason = decodeRevertReason(output)
  const text = reason === null ? 'execution reverted' : `execution reverted: ${reason}`
  return new RpcError(RPC_ERROR_NUMBERS.executionReverted, text, bytesToHex(output) as Hex)
}

export const filterNotFound = () => serverError('filter not found')
export const headerNotFound = () => serverError('header not found')
export const unknownBlock = () => serverError('unknown block')
