import { WIDE } from './scratch'

const HALF: u64 = 0xffffffff

/** WIDE = a * b. */
export function multiplyWide(a: usize, b: usize): void {
  const upperA = load<u64>(a, 16) | load<u64>(a, 24)
  if (upperA != 0 && (load<u64>(b, 16) | load<u64>(b, 24)) == 0) return multiplyWide(b, a)
  v128.store(WIDE, v128.splat<u64>(0))
  v128.store(WIDE, v128.splat<u64>(0), 16)
  multiplyRow(load<u64>(a), b, WIDE)
  multiplyRow(load<u64>(a, 8), b, WIDE + 8)
  if (upperA != 0) {
    multiplyRow(load<u64>(a, 16), b, WIDE + 16)
    multiplyRow(load<u64>(a, 24), b, WIDE + 24)
  } else {
    store<u64>(WIDE, 0, 48)
    store<u64>(WIDE, 0, 56)
  }
}

// @ts-ignore: decorator
@inline
function multiplyRow(factor: u64, b: usize, sum: usize): void {
  store<u64>(sum, addProduct(factor, b, sum), 32)
}

/** Adds factor * b to the four limbs at `sum`; returns the carry. */
// @ts-ignore: decorator
@inline
export function addProduct(factor: u64, b: usize, sum: usize): u64 {
  const low = factor & HALF
  const high = factor >> 32
  let carry = addLimb(low, high, b, sum, 0)
  carry = addLimb(low, high, b + 8, sum + 8, carry)
  carry = addLimb(low, high, b + 16, sum + 16, carry)
  return addLimb(low, high, b + 24, sum + 24, carry)
}

/** A product of two halves leaves room for the sum of two more. */
// @ts-ignore: decorator
@inline
function addLimb(low: u64, high: u64, b: usize, sum: usize, carry: u64): u64 {
  const bLow = <u64>load<u32>(b)
  const bHigh = <u64>load<u32>(b, 4)
  const part0 = low * bLow + <u64>load<u32>(sum) + (carry & HALF)
  const part1 = high * bLow + <u64>load<u32>(sum, 4) + (part0 >> 32)
  const part2 = low * bHigh + (part1 & HALF) + (carry >> 32)
  store<u64>(sum, (part2 << 32) | (part0 & HALF))
  return high * bHigh + (part1 >> 32) + (part2 >> 32)
}
