/** EIP-198, EIP-2565, EIP-7883. */
import type { ModexpPrice } from '@keelson/chainspec'
import { readModexpLengths, readNumber } from './modexp-input.ts'

const WORD_BYTES = 8n
const HEAD_BYTES = 32n

export function modexpGas(price: ModexpPrice, input: Uint8Array): bigint {
  const { base, exponent, modulus, exponentAt } = readModexpLengths(input)
  const longest = base > modulus ? base : modulus
  const headBytes = exponent < HEAD_BYTES ? Number(exponent) : Number(HEAD_BYTES)
  const head = exponentAt === null ? 0n : readNumber(input, exponentAt, headBytes)
  let iterations = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  if (exponent > HEAD_BYTES) iterations += price.exponentByteIterations * (exponent - HEAD_BYTES)
  if (iterations < 1n) iterations = 1n
  const gas = (COMPLEXITY[price.complexity](longest) * iterations) / price.divisor
  return gas < price.minimum ? price.minimum : gas
}

const COMPLEXITY: Readonly<Record<ModexpPrice['complexity'], (bytes: bigint) => bigint>> = {
  piecewise(bytes) {
    if (bytes <= 64n) return bytes * bytes
    if (bytes <= 1024n) return (bytes * bytes) / 4n + 96n * bytes - 3_072n
    return (bytes * bytes) / 16n + 480n * bytes - 199_680n
  },
  words: (bytes) => squaredWords(bytes),
  'double-words': (bytes) => (bytes <= 32n ? 16n : 2n * squaredWords(bytes)),
}

function squaredWords(bytes: bigint): bigint {
  const words = (bytes + WORD_BYTES - 1n) / WORD_BYTES
  return words * words
}
