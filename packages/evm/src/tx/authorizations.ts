/** EIP-7702; invalid authorizations are skipped. */
import {
  type Authorization,
  type Bytes20,
  bytesToHex,
  type Crypto,
  concatBytes,
  EMPTY_BYTES,
  keccak256,
  MAX_NONCE,
  rlpEncode,
  SECP256K1_HALF_ORDER,
} from '@keelson/primitives'
import type { BlockSession } from '../ports.ts'
import { isDelegation } from './validate-transaction.ts'

const MAGIC = Uint8Array.of(0x05)
const DELEGATION_PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
const EXISTING_ACCOUNT_REFUND = 12_500n

export function applyAuthorizations(list: readonly Authorization[], session: BlockSession, crypto: Crypto, chainId: bigint): bigint {
  let refund = 0n
  for (const authorization of list) {
    const authority = recoverAuthority(authorization, crypto, chainId)
    if (authority === null) continue
    session.warm(authority)
    const code = session.code(authority)
    if (code.length > 0 && !isDelegation(code)) continue
    if (session.nonce(authority) !== authorization.nonce) continue
    if (session.exists(authority)) refund += EXISTING_ACCOUNT_REFUND
    const clears = authorization.address.every((byte) => byte === 0)
    session.setCode(authority, clears ? EMPTY_BYTES : concatBytes(DELEGATION_PREFIX, authorization.address))
    session.setNonce(authority, authorization.nonce + 1n)
  }
  return refund
}

export function recoverAuthority(authorization: Authorization, crypto: Crypto, chainId: bigint): Bytes20 | null {
  const { chainId: forChain, address, nonce, yParity, r, s } = authorization
  if (forChain !== 0n && forChain !== chainId) return null
  if (nonce === MAX_NONCE || (yParity !== 0 && yParity !== 1) || s > SECP256K1_HALF_ORDER) return null
  return crypto.recover(keccak256(concatBytes(MAGIC, rlpEncode([forChain, address, nonce]))), { yParity, r, s })
}

export function delegationTarget(code: Uint8Array): string | null {
  return isDelegation(code) ? bytesToHex(code.subarray(DELEGATION_PREFIX.length)) : null
}
