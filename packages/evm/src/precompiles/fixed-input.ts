import { EMPTY_BYTES, padLeft } from '@keelson/primitives'

export function fixedInput(input: Uint8Array, length: number): Uint8Array {
  if (input.length >= length) return input.subarray(0, length)
  const padded = new Uint8Array(length)
  padded.set(input)
  return padded
}

const ONE = padLeft(Uint8Array.of(1), 32)
const ZERO = new Uint8Array(32)

export function booleanWord(holds: boolean): Uint8Array {
  return (holds ? ONE : ZERO).slice()
}

export function oneOrNothing(holds: boolean): Uint8Array {
  return holds ? ONE.slice() : EMPTY_BYTES
}
