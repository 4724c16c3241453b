/** Deposits have type 0x7e, which the library does not know. specs: protocol/deposits.md#the-deposited-transaction-type */
import { RLP } from '@ethereumjs/rlp'
import { Address, bytesToBigInt } from '@ethereumjs/util'
import { invalidBlock } from '../errors.ts'

export const DEPOSIT_TYPE = 0x7e
const FIELDS = 8

export interface Deposit {
  readonly from: Address
  /** Null creates a contract. */
  readonly to: Address | null
  readonly mint: bigint
  readonly value: bigint
  readonly gasLimit: bigint
  readonly isSystem: boolean
  readonly data: Uint8Array
}

export function isDeposit(raw: Uint8Array): boolean {
  return raw[0] === DEPOSIT_TYPE
}

export function decodeDeposit(raw: Uint8Array): Deposit {
  const fields = RLP.decode(raw.subarray(1))
  if (fields instanceof Uint8Array || fields.length !== FIELDS || !fields.every((field) => field instanceof Uint8Array)) {
    throw invalidBlock(`a deposit is not a list of ${FIELDS} byte strings`)
  }
  const [, from, to, mint, value, gasLimit, isSystem, data] = fields as [Uint8Array, ...Uint8Array[]] as Uint8Array[]
  return {
    from: new Address(from as Uint8Array),
    to: (to as Uint8Array).length === 0 ? null : new Address(to as Uint8Array),
    mint: bytesToBigInt(mint as Uint8Array),
    value: bytesToBigInt(value as Uint8Array),
    gasLimit: bytesToBigInt(gasLimit as Uint8Array),
    isSystem: (isSystem as Uint8Array).length > 0,
    data: data as Uint8Array,
  }
}
