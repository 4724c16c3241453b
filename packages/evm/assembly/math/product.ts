import { mulHigh } from './wide'
import { putWord } from './word'

/** a * b modulo 2^256. */
export function multiply(a: usize, b: usize, out: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  const low = a0 * b0
  const high = mulHigh(a0, b0)
  if ((a1 | a2 | a3 | b1 | b2 | b3) == 0) {
    putWord(out, low, high, 0, 0)
    return
  }
  const a0b1 = a0 * b1
  const a1b0 = a1 * b0
  const sum1 = high + a0b1
  const limb1 = sum1 + a1b0
  const carry1 = u64(sum1 < high) + u64(limb1 < sum1)
  if ((a2 | a3 | b2 | b3) == 0) {
    putPair(out, low, limb1, mulHigh(a0, b1), mulHigh(a1, b0), a1 * b1, mulHigh(a1, b1), carry1)
    return
  }
  const high01 = mulHigh(a0, b1)
  const high10 = mulHigh(a1, b0)
  const a0b2 = a0 * b2
  const a1b1 = a1 * b1
  const a2b0 = a2 * b0
  const sum2 = high01 + carry1
  const sum3 = sum2 + high10
  const sum4 = sum3 + a0b2
  const sum5 = sum4 + a1b1
  const limb2 = sum5 + a2b0
  const carry2 = u64(sum2 < carry1) + u64(sum3 < high10) + u64(sum4 < a0b2) + u64(sum5 < a1b1) + u64(limb2 < a2b0)
  const upper = mulHigh(a0, b2) + mulHigh(a1, b1) + mulHigh(a2, b0) + a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  putWord(out, low, limb1, limb2, upper + carry2)
}

// @ts-ignore: decorator
@inline
function putPair(out: usize, low: u64, limb1: u64, high01: u64, high10: u64, low11: u64, high11: u64, carry1: u64): void {
  const sum2 = high01 + carry1
  const sum3 = sum2 + high10
  const limb2 = sum3 + low11
  const carry2 = u64(sum2 < carry1) + u64(sum3 < high10) + u64(limb2 < low11)
  putWord(out, low, limb1, limb2, high11 + carry2)
}
