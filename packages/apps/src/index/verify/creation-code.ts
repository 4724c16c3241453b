/** The code before the constructor arguments in the transaction that creates a contract. */
import { bytesToHex, type Hash, type Hex, hexToBytes, keccak256Hash } from '@keelson/primitives'
import type { CompiledContract } from './compile-thread.ts'
import { matchCode } from './match-code.ts'

export interface CreationCode {
  readonly bytes: number
  readonly hash: Hash
}

/** Null when the transaction begins with other code. */
export function creationCodeOf(
  transactionInput: Uint8Array,
  { creation }: CompiledContract,
  hasMetadataHash: boolean,
): CreationCode | null {
  const bytes = creation.object.length / 2
  const code = transactionInput.subarray(0, bytes)
  return matchCode(code, creation, hasMetadataHash) === null ? null : { bytes, hash: keccak256Hash(code) }
}

/** When no transaction is known. Null when libraries are missing. */
export function compiledCreationCode({ creation }: CompiledContract): CreationCode | null {
  if (creation.object.includes('_')) return null
  return { bytes: creation.object.length / 2, hash: keccak256Hash(hexToBytes(`0x${creation.object}`)) }
}

/** Null when the transaction begins with other code. */
export function constructorArgumentsIn(transactionInput: Uint8Array, { bytes, hash }: CreationCode): Hex | null {
  if (keccak256Hash(transactionInput.subarray(0, bytes)) !== hash) return null
  return bytesToHex(transactionInput.subarray(bytes))
}
