/**
 * One table from reasons to what wallets are told. Libraries match these texts, so they are geth's, to
 * the letter; what is particular to the case follows after a colon. See README.md, "Errors".
 */

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

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'
const PANIC_TEXTS: Readonly<Record<number, string>> = {
  0: 'generic panic',
  1: 'assert(false)',
  17: 'arithmetic underflow or overflow',
  18: 'division or modulo by zero',
  33: 'enum overflow',
  34: 'invalid encoded storage byte array accessed',
  49: 'out-of-bounds array access; popping on an empty array',
  50: 'out-of-bounds access of an array or bytesN',
  65: 'out of memory',
  81: 'uninitialized function',
}
const MAX_REASON_BYTES = 16_384

/** The text of Error(string) or the meaning of Panic(uint256); null for anything else. */
export function decodeRevertReason(output: Uint8Array): string | null {
  if (output.length < 4 + 32) return null
  const selector = bytesToHex(output.subarray(0, 4))
  const word = (i: number) => BigInt(bytesToHex(output.subarray(4 + 32 * i, 36 + 32 * i)))
  if (selector === PANIC_SELECTOR) {
    const code = word(0)
    return PANIC_TEXTS[Number(code)] ?? `unknown panic code: 0x${code.toString(16)}`
  }
  if (selector !== ERROR_SELECTOR || output.length < 4 + 64 || word(0) !== 32n) return null
  const length = word(1)
  if (length > BigInt(Math.min(MAX_REASON_BYTES, output.length - 68))) return null
  return new TextDecoder().decode(output.subarray(68, 68 + Number(length)))
}

export const filterNotFound = () => serverError('filter not found')
export const headerNotFound = () => serverError('header not found')
export const unknownBlock = () => serverError('unknown block')
