import { reduceWide } from './reduce'
import { WIDE, WORD_A } from './scratch'
import { copyWord, isZero, lessThan, putWord } from './word'

/** Operands below the modulus need at most one subtraction. */
export function addModulo(a: usize, b: usize, m: usize, out: usize): void {
  if (isZero(m)) return putWord(out, 0, 0, 0, 0)
  const carry = addWide(a, b)
  const sum0 = load<u64>(WIDE)
  const sum1 = load<u64>(WIDE, 8)
  const sum2 = load<u64>(WIDE, 16)
  const sum3 = load<u64>(WIDE, 24)
  const m0 = load<u64>(m)
  const m1 = load<u64>(m, 8)
  const m2 = load<u64>(m, 16)
  const m3 = load<u64>(m, 24)
  const borrow0 = u64(sum0 < m0)
  const part1 = sum1 - m1
  const borrow1 = u64(sum1 < m1) | u64(part1 < borrow0)
  const part2 = sum2 - m2
  const borrow2 = u64(sum2 < m2) | u64(part2 < borrow1)
  const part3 = sum3 - m3
  const borrow3 = u64(sum3 < m3) | u64(part3 < borrow2)
  if (carry < borrow3) return putWord(out, sum0, sum1, sum2, sum3)
  if (carry == borrow3) {
    putWord(WORD_A, sum0 - m0, part1 - borrow0, part2 - borrow1, part3 - borrow2)
    if (lessThan(WORD_A, m)) return copyWord(WORD_A, out)
  }
  reduceWide(5, m, out)
}

/** WIDE = a + b; returns the carry, which is also the fifth limb. */
// @ts-ignore: decorator
@inline
function addWide(a: usize, b: usize): u64 {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const sum0 = a0 + load<u64>(b)
  const carry0 = u64(sum0 < a0)
  const part1 = a1 + load<u64>(b, 8)
  const sum1 = part1 + carry0
  const carry1 = u64(part1 < a1) | u64(sum1 < carry0)
  const part2 = a2 + load<u64>(b, 16)
  const sum2 = part2 + carry1
  const carry2 = u64(part2 < a2) | u64(sum2 < carry1)
  const part3 = a3 + load<u64>(b, 24)
  const sum3 = part3 + carry2
  const carry3 = u64(part3 < a3) | u64(sum3 < carry2)
  putWord(WIDE, sum0, sum1, sum2, sum3)
  store<u64>(WIDE, carry3, 32)
  return carry3
}
