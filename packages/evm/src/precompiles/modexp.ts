/** EIP-198, EIP-7823. */
import type { ModexpPrice } from '@keelson/chainspec'
import { bigintToBytes, EMPTY_BYTES } from '@keelson/primitives'
import { MODEXP_BASE_AT, readModexpLengths, readNumber } from './modexp-input.ts'
import { modexpGas } from './modexp-price.ts'
import { fitsWasm, powerInWasm } from './power-in-wasm.ts'
import { powerModulo } from './power-modulo.ts'
import type { Precompile } from './precompile.ts'

/** No gas limit pays for longer operands. */
const UNPAYABLE_BYTES = 2 ** 27

export function createModexp(price: ModexpPrice): Precompile {
  const maxBytes = BigInt(price.maxOperandBytes ?? UNPAYABLE_BYTES)
  return {
    name: 'modexp',
    gas: (input) => modexpGas(price, input),
    failure: () => `one or more of base/exponent/modulus length exceeded ${maxBytes} bytes`,
    run(input) {
      const lengths = readModexpLengths(input)
      // Here the price does not limit the exponent's length.
      if (price.maxOperandBytes === null && lengths.base === 0n && lengths.modulus === 0n) return EMPTY_BYTES
      if (lengths.base > maxBytes || lengths.exponent > maxBytes || lengths.modulus > maxBytes) return null
      const [baseBytes, exponentBytes, modulusBytes] = [Number(lengths.base), Number(lengths.exponent), Number(lengths.modulus)]
      const exponentAt = MODEXP_BASE_AT + baseBytes
      const modulusAt = exponentAt + exponentBytes
      if (fitsWasm(baseBytes, exponentBytes, modulusBytes)) {
        const part = (from: number, length: number) => ({ present: input.subarray(from, from + length), length })
        return powerInWasm(part(MODEXP_BASE_AT, baseBytes), part(exponentAt, exponentBytes), part(modulusAt, modulusBytes))
      }
      const modulus = readNumber(input, modulusAt, modulusBytes)
      if (modulus === 0n) return new Uint8Array(modulusBytes)
      const base = readNumber(input, MODEXP_BASE_AT, baseBytes)
      const exponent = readNumber(input, exponentAt, exponentBytes)
      return bigintToBytes(powerModulo(base, exponent, modulus), modulusBytes)
    },
  }
}
