/** RIP-7212, EIP-7951. */
import { oneOrNothing } from './fixed-input.ts'
import { verifyP256 } from './p256-wasm.ts'
import type { Precompile } from './precompile.ts'

const INPUT_BYTES = 160

export function createP256Verify(gas: bigint): Precompile {
  return {
    name: 'p256 verify',
    gas: () => gas,
    run: (input) => oneOrNothing(input.length === INPUT_BYTES && verifyP256(input)),
  }
}
