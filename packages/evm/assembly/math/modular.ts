/** A zero divisor gives zero. */
import { divide } from './division'
import { belowPower, reduceByComplement } from './near-power'
import { reduceWide } from './reduce'
import { QUOTIENT, WORD_A, WORD_B } from './scratch'
import { multiplyWide } from './wide-product'
import { isLimb, isZero, limbCount, negate, putWord } from './word'

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

export function multiplyModulo(a: usize, b: usize, m: usize, out: usize): void {
  if (isZero(m)) {
    putWord(out, 0, 0, 0, 0)
    return
  }
  multiplyWide(a, b)
  const complement = belowPower(m)
  if (complement != 0) reduceByComplement(complement, out)
  else reduceWide(8, m, out)
}
