/** Yellow paper, appendix E.1. The WASM core itself copies and hashes short inputs. */
import type { WordPrice } from '@keelson/chainspec'
import { type Crypto, padLeft, ripemd160 } from '@keelson/primitives'
import type { Precompile } from './precompile.ts'

export function createSha256(price: WordPrice, crypto: Crypto): Precompile {
  return {
    name: 'sha256',
    gas: (input) => wordGas(price, input),
    run: (input) => crypto.sha256(input),
  }
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
