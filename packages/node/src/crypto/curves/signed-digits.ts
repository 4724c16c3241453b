/** Width-5 non-adjacent form: four bits and a sign, at least four zeros after each digit. */
export const DIGIT_WIDTH = 5
const HALF = 2 ** (DIGIT_WIDTH - 1)

/** Writes odd digits or 0, the lowest first. Returns the count without leading zeros. */
export function writeSignedDigits(number: Uint8Array, digits: Int8Array): number {
  digits.fill(0)
  const bits = 8 * number.length
  const bit = (i: number) => (i < bits ? ((number[number.length - 1 - (i >> 3)] as number) >> (i & 7)) & 1 : 0)
  let carry = 0
  let count = 0
  for (let i = 0; i <= bits; ) {
    const low = bit(i) + carry
    if ((low & 1) === 0) {
      carry = low >> 1
      i++
      continue
    }
    let digit = low
    for (let j = 1; j < DIGIT_WIDTH; j++) digit += bit(i + j) << j
    carry = digit >= HALF ? 1 : 0
    digits[i] = carry === 1 ? digit - 2 * HALF : digit
    count = i + 1
    i += DIGIT_WIDTH
  }
  return count
}
