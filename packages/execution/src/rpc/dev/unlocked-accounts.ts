import type { Address, Bytes32, Signature } from '@keelson/primitives'
import type { RpcError } from '@keelson/runtime'
import { serverError } from '../errors.ts'

/** Accounts whose keys the process has. Only the sequencer of a development network provides them. */
export interface UnlockedAccounts {
  readonly addresses: readonly Address[]
  /** Null for another account. */
  sign(account: Address, digest: Bytes32): Signature | null
}

export function unknownAccount(): RpcError {
  return serverError('unknown account')
}
