/** Yellow paper, appendix E.1. */
import { bytesToBigint, type Crypto, EMPTY_BYTES, padLeft } from '@keelson/primitives'
import { fixedInput } from './fixed-input.ts'
import type { Precompile } from './precompile.ts'

const INPUT_BYTES = 128
const LAST_BYTE_OF_V = 63

export function createEcrecover(gas: bigint, crypto: Crypto): Precompile {
  return {
    name: 'ecrecover',
    gas: () => gas,
    run(data) {
      const input = fixedInput(data, INPUT_BYTES)
      const yParity = readParity(input)
      if (yParity === null) return EMPTY_BYTES
      const r = bytesToBigint(input.subarray(64, 96))
      const s = bytesToBigint(input.subarray(96, 128))
      const signer = crypto.recover(input.subarray(0, 32), { yParity, r, s })
      return signer === null ? EMPTY_BYTES : padLeft(signer, 32)
    },
  }
}

function readParity(input: Uint8Array): 0 | 1 | null {
  for (let i = 32; i < LAST_BYTE_OF_V; i++) if (input[i] !== 0) return null
  const v = input[LAST_BYTE_OF_V]
  if (v === 27) return 0
  return v === 28 ? 1 : null
}
