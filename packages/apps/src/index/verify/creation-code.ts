/** The code before the constructor arguments in the transaction that creates a contract. */
import { bytesToHex, type Hash, type Hex, hexToBytes, keccak256Hash } from '@keelson/primitives'
import type { CompiledContract } from './compile-process.ts'
import { type MatchKind, matchCode } from './match-code.ts'

export interface CreationCode {
  readonly bytes: number
  readonly hash: Hash
}

/** Null when the transaction begins with other code, or its metadata differs although that of the code on chain is the same. */
export function creationCodeOf(
  transactionInput: Uint8Array,
  { creation }: CompiledContract,
  { hasMetadataHash, runtime }: { readonly hasMetadataHash: boolean; readonly runtime: MatchKind },
): CreationCode | null {
  const bytes = creation.object.length / 2
  const code = transactionInput.subarray(0, bytes)
  const match = matchCode(code, creation, hasMetadataHash)
  if (match === null || (runtime === 'exact' && match.kind !== 'exact')) return null
  return { bytes, hash: keccak256Hash(code) }
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
