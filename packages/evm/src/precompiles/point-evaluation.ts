/** EIP-4844, section "Point evaluation precompile". */
import { bigintToBytes, type Crypto, concatBytes, type SyncKzgVerifier } from '@keelson/primitives'
import { EvmError } from '../errors.ts'
import type { Precompile } from './precompile.ts'

const INPUT_BYTES = 192
const VERSION_KZG = 1
const FIELD_ELEMENTS_PER_BLOB = 4096n
const BLS_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
const OUTPUT = concatBytes(bigintToBytes(FIELD_ELEMENTS_PER_BLOB, 32), bigintToBytes(BLS_MODULUS, 32))

export function createPointEvaluation(gas: bigint, crypto: Crypto, kzg: SyncKzgVerifier | null): Precompile {
  return {
    name: 'point evaluation',
    gas: () => gas,
    failure(input) {
      if (input.length !== INPUT_BYTES) return 'invalid input length'
      return isHashOf(input, crypto) ? "error verifying kzg proof: can't verify opening proof" : 'mismatched versioned hash'
    },
    run(input) {
      if (input.length !== INPUT_BYTES || !isHashOf(input, crypto)) return null
      if (kzg === null)
        throw new EvmError(
          'evm/misuse',
          'a transaction calls the point evaluation precompile, but the engine was built without a KZG verifier',
        )
      const [z, y] = [input.subarray(32, 64), input.subarray(64, 96)]
      return kzg.verifyProof(input.subarray(96, 144), z, y, input.subarray(144, 192)) ? OUTPUT.slice() : null
    },
  }
}

function isHashOf(input: Uint8Array, crypto: Crypto): boolean {
  if (input[0] !== VERSION_KZG) return false
  const hash = crypto.sha256(input.subarray(96, 144))
  for (let i = 1; i < 32; i++) if (input[i] !== hash[i]) return false
  return true
}
