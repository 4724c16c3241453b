/** EIP-152. */
import { blake2Compress, blake2Rounds, isBlake2Input } from './blake2.ts'
import type { Precompile } from './precompile.ts'

export function createBlake2f(roundGas: bigint): Precompile {
  return {
    name: 'blake2f',
    gas: (input) => roundGas * BigInt(blake2Rounds(input) ?? 0),
    run: (input) => (isBlake2Input(input) ? blake2Compress(input) : null),
    failure: (input) => (blake2Rounds(input) === null ? 'invalid input length' : 'invalid final flag'),
  }
}
