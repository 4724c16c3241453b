/** A zero divisor gives zero. */
import { divide } from './division'
import { multiplyWide } from './product'
import { QUOTIENT, WIDE, WORD_A, WORD_B } from './scratch'
import { copyWord, isLimb, isZero, lessThan, limbCount, negate, putWord } from './word'

export function unsignedDivide(a: usize, b: usize, out: usize): void {
  if (isLimb(a) && isLimb(b)) {
    const divisor = load<u64>(b)
    putWord(out, divisor == 0 ? 0 : load<u64>(a) / divisor, 0, 0, 0)
    return
  }
  const count = limbCount(a)
  if (isZero(b) || count == 0) {
    putWord(out, 0, 0, 0, 0)
    return
  }
  divide(a, count, b, out, WORD_A)
  for (let i = count; i < 4; i++) store<u64>(out + (<usize>i << 3), 0)
}

export function unsignedModulo(a: usize, b: usize, out: usize): void {
  if (isLimb(a) && isLimb(b)) {
    const divisor = load<u64>(b)
    putWord(out, divisor == 0 ? 0 : load<u64>(a) % divisor, 0, 0, 0)
    return
  }
  const count = limbCount(a)
  if (isZero(b) || count == 0) {
    putWord(out, 0, 0, 0, 0)
    return
  }
  divide(a, count, b, QUOTIENT, out)
}

/** Truncates towards zero; -2^255 / -1 is -2^255. */
export function signedDivide(a: usize, b: usize, out: usize): void {
  const negative = (load<i64>(a, 24) ^ load<i64>(b, 24)) < 0
  unsignedDivide(magnitude(a, WORD_A), magnitude(b, WORD_B), out)
  if (negative) negate(out, out)
}

export function signedModulo(a: usize, b: usize, out: usize): void {
  const negative = load<i64>(a, 24) < 0
  unsignedModulo(magnitude(a, WORD_A), magnitude(b, WORD_B), out)
  if (negative) negate(out, out)
}

// @ts-ignore: decorator
@inline
function magnitude(a: usize, room: usize): usize {
  if (load<i64>(a, 24) >= 0) return a
  negate(a, room)
  return room
}

export function addModulo(a: usize, b: usize, m: usize, out: usize): void {
  if (isZero(m)) {
    putWord(out, 0, 0, 0, 0)
    return
  }
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
  if (carry3 == 0 && lessThan(WIDE, m)) {
    putWord(out, sum0, sum1, sum2, sum3)
    return
  }
  store<u64>(WIDE, carry3, 32)
  reduceWide(5, m, out)
}

export function multiplyModulo(a: usize, b: usize, m: usize, out: usize): void {
  if (isZero(m)) {
    putWord(out, 0, 0, 0, 0)
    return
  }
  multiplyWide(a, b)
  reduceWide(8, m, out)
}

function reduceWide(count: i32, m: usize, out: usize): void {
  let used = count
  while (used > 0 && load<u64>(WIDE + (<usize>(used - 1) << 3)) == 0) used--
  if (used == 0) putWord(out, 0, 0, 0, 0)
  else if (used <= 4 && lessThan(WIDE, m)) copyWord(WIDE, out)
  else divide(WIDE, used, m, QUOTIENT, out)
}
