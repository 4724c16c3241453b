import { math, mathInputAt, mathMemory } from '../wasm/math-instance.ts'

const INPUT_BYTES = 213
const FINAL_AT = 212
const STATE_BYTES = 64
const INPUT_AT = mathInputAt + STATE_BYTES

export function isBlake2Input(input: Uint8Array): boolean {
  return input.length === INPUT_BYTES && (input[FINAL_AT] as number) <= 1
}

/** Null for an input of another length. */
export function blake2Rounds(input: Uint8Array): number | null {
  if (input.length !== INPUT_BYTES) return null
  return new DataView(input.buffer, input.byteOffset).getUint32(0)
}

export function blake2Compress(input: Uint8Array): Uint8Array {
  const memory = mathMemory(INPUT_AT + INPUT_BYTES)
  memory.set(input, INPUT_AT)
  math.blake2f(INPUT_AT, mathInputAt)
  return memory.slice(mathInputAt, mathInputAt + STATE_BYTES)
}
