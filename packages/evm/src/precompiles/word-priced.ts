/** Yellow paper, appendix E.1. */
import type { WordPrice } from '@keelson/chainspec'
import { type Crypto, padLeft, ripemd160 } from '@keelson/primitives'
import { math, mathInputAt, mathMemory } from '../wasm/math-instance.ts'
import type { Precompile } from './precompile.ts'

/** Up to this length, WASM is faster than the port. */
const SHORT_INPUT_BYTES = 128
const HASH_BYTES = 32
const INPUT_AT = mathInputAt + HASH_BYTES

export function createSha256(price: WordPrice, crypto: Crypto): Precompile {
  return {
    name: 'sha256',
    gas: (input) => wordGas(price, input),
    run: (input) => (input.length <= SHORT_INPUT_BYTES ? shortSha256(input) : crypto.sha256(input)),
  }
}

function shortSha256(input: Uint8Array): Uint8Array {
  const memory = mathMemory(INPUT_AT + SHORT_INPUT_BYTES)
  memory.set(input, INPUT_AT)
  math.sha256(INPUT_AT, input.length, mathInputAt)
  return memory.slice(mathInputAt, INPUT_AT)
}

export function createRipemd160(price: WordPrice): Precompile {
  return { name: 'ripemd160', gas: (input) => wordGas(price, input), run: (input) => padLeft(ripemd160(input), 32) }
}

export function createIdentity(price: WordPrice): Precompile {
  return { name: 'identity', gas: (input) => wordGas(price, input), run: (input) => input }
}

function wordGas({ base, word }: WordPrice, input: Uint8Array): bigint {
  return base + word * BigInt((input.length + 31) >>> 5)
}
