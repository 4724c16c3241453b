/** EIP-198. */
import { bytesToBigint } from '@keelson/primitives'
import { fixedInput } from './fixed-input.ts'

export interface ModexpLengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
  /** Null when the exponent begins beyond any possible input. */
  readonly exponentAt: number | null
}

export const MODEXP_BASE_AT = 96
const MAX_OFFSET = 2n ** 40n

export function readModexpLengths(input: Uint8Array): ModexpLengths {
  const header = fixedInput(input, MODEXP_BASE_AT)
  const base = bytesToBigint(header.subarray(0, 32))
  const exponent = bytesToBigint(header.subarray(32, 64))
  const modulus = bytesToBigint(header.subarray(64, 96))
  return { base, exponent, modulus, exponentAt: base < MAX_OFFSET ? MODEXP_BASE_AT + Number(base) : null }
}

/** Big-endian, padded with zeros. */
export function readNumber(input: Uint8Array, from: number, length: number): bigint {
  const present = input.subarray(from, from + length)
  const value = bytesToBigint(present)
  return value === 0n ? 0n : value << BigInt(8 * (length - present.length))
}
