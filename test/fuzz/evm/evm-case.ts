/** A JSON value with decimal strings as numbers. */
import { type Bytes20, bigintToBytes, bytesToHex, hexToBytes, keccak256, utf8ToBytes } from '@keelson/primitives'
import { createNativeCrypto } from '../../../packages/node/src/crypto/native-crypto.ts'
import type { ChainName } from './chains.ts'
import { assemble } from './program/assemble.ts'
import type { Program } from './program/program.ts'

export type Code = Program | string

export interface CaseAccount {
  readonly address: string
  readonly balance: string
  readonly nonce: string
  readonly code: Code
  readonly storage: readonly (readonly [slot: string, value: string])[]
}

export interface CaseAuthorization {
  readonly signer: number
  readonly chainId: string
  readonly address: string
  readonly nonce: string
}

export interface CaseTransaction {
  readonly sender: number
  /** Null creates a contract. */
  readonly to: string | null
  readonly value: string
  readonly data: Code
  readonly gas: string
  readonly accessList?: readonly { readonly address: string; readonly slots: readonly string[] }[]
  readonly authorizations?: readonly CaseAuthorization[]
}

export interface CaseEnv {
  readonly number: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly baseFee: string
  readonly feeRecipient: string
  readonly prevRandao: string
  readonly difficulty: string
  /** Default: `blockHashOf`. */
  readonly blockHashes?: Readonly<Record<string, string>>
}

export interface EvmCase {
  readonly chain: ChainName
  readonly env: CaseEnv
  readonly accounts: readonly CaseAccount[]
  readonly transactions: readonly CaseTransaction[]
}

export const CHAIN_ID = 1n
export const GAS_PRICE_WEI = 10n
export const crypto = createNativeCrypto()

export interface Signer {
  readonly key: Uint8Array
  readonly address: Bytes20
}

/** Keys are hashes of fixed texts. */
export const SIGNERS: readonly Signer[] = Array.from({ length: 4 }, (_, i) => {
  const key = keccak256(utf8ToBytes(`keelson fuzz signer ${i}`))
  return { key, address: crypto.addressOf(key) }
})

export const wordBytes = (hex: string) => bigintToBytes(BigInt(hex), 32)

const assembled = new WeakMap<Program, Uint8Array>()

export function codeBytes(code: Code): Uint8Array {
  if (typeof code === 'string') return hexToBytes(code)
  const bytes = assembled.get(code) ?? assemble(code)
  assembled.set(code, bytes)
  return bytes
}

export function blockHashOf(env: CaseEnv, number: number): string {
  return env.blockHashes?.[String(number)] ?? bytesToHex(keccak256(utf8ToBytes(`block ${number}`)))
}
