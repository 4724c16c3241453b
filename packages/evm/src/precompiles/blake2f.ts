/** EIP-152. */
import { blake2Compress, blake2Rounds } from './blake2.ts'
import type { Precompile } from './precompile.ts'

export function createBlake2f(roundGas: bigint): Precompile {
  return {
    name: 'blake2f',
    gas: (input) => roundGas * BigInt(blake2Rounds(input) ?? 0),
    run: (input) => (blake2Rounds(input) === null ? null : blake2Compress(input)),
  }
}
