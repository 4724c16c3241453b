/** Numbers of `n` little-endian limbs, at least one. */
import { divideByLimb } from './division'
import { LONG_NORMALIZED } from './scratch'
import { mulHigh, reciprocalOfTwo } from './wide'

// @ts-ignore: decorator
@inline
export function limbAt(number: usize, i: i32): u64 {
  return load<u64>(number + (<usize>i << 3))
}

// @ts-ignore: decorator
@inline
export function setLimb(number: usize, i: i32, value: u64): void {
  store<u64>(number + (<usize>i << 3), value)
}

export function readBytes(bytes: usize, length: usize, to: usize): i32 {
  let at = bytes
  const end = bytes + length
  while (at < end && load<u8>(at) == 0) at++
  const used = end - at
  const count = <i32>((used + 7) >> 3)
  for (let i = 0; i < count; i++) {
    const from = <isize>end - 8 * (<isize>i + 1)
    if (from >= <isize>at) {
      setLimb(to, i, bswap(load<u64>(<usize>from)))
    } else {
      let limb: u64 = 0
      for (let k = at; k < end - 8 * <usize>i; k++) limb = (limb << 8) | <u64>load<u8>(k)
      setLimb(to, i, limb)
    }
  }
  return count
}

export function writeBytes(number: usize, n: i32, bytes: usize, length: usize): void {
  memory.fill(bytes, 0, length)
  let at = bytes + length
  for (let i: usize = 0; i < <usize>n << 3 && at > bytes; i++) {
    at--
    store<u8>(at, load<u8>(number + i))
  }
}

// V8's memory.fill and memory.copy call C functions, which take longer than a short loop.
export function clearLong(number: usize, n: i32): void {
  for (let i = 0; i < n; i++) setLimb(number, i, 0)
}

export function copyLong(from: usize, n: i32, to: usize): void {
  for (let i = 0; i < n; i++) setLimb(to, i, limbAt(from, i))
}

export function lessThanLong(a: usize, b: usize, n: i32): bool {
  for (let i = n - 1; i >= 0; i--) {
    const limb = limbAt(a, i)
    const other = limbAt(b, i)
    if (limb != other) return limb < other
  }
  return false
}

/** Computes a - b; returns the borrow. */
export function subtractLong(a: usize, b: usize, n: i32, out: usize): u64 {
  let borrow: u64 = 0
  for (let i = 0; i < n; i++) {
    const limb = limbAt(a, i)
    const other = limbAt(b, i)
    const difference = limb - other
    setLimb(out, i, difference - borrow)
    borrow = u64(limb < other) | u64(difference < borrow)
  }
  return borrow
}

export function addProduct(a: usize, b: usize, n: i32, limb: u64): u64 {
  let carry: u64 = 0
  for (let i = 0; i < n; i++) {
    const factor = limbAt(b, i)
    const low = factor * limb
    const sum = limbAt(a, i) + low
    const total = sum + carry
    carry = mulHigh(factor, limb) + u64(sum < low) + u64(total < carry)
    setLimb(a, i, total)
  }
  return carry
}

function subtractProduct(a: usize, b: usize, n: i32, limb: u64): u64 {
  let borrow: u64 = 0
  for (let i = 0; i < n; i++) {
    const factor = limbAt(b, i)
    const low = factor * limb
    const taken = low + borrow
    const value = limbAt(a, i)
    borrow = mulHigh(factor, limb) + u64(taken < low) + u64(value < taken)
    setLimb(a, i, value - taken)
  }
  return borrow
}

function addLong(a: usize, b: usize, n: i32): u64 {
  let carry: u64 = 0
  for (let i = 0; i < n; i++) {
    const sum = limbAt(a, i) + carry
    const total = sum + limbAt(b, i)
    carry = u64(sum < carry) + u64(total < sum)
    setLimb(a, i, total)
  }
  return carry
}

function shiftUp(number: usize, n: i32, bits: u64, to: usize): u64 {
  let below: u64 = 0
  for (let i = 0; i < n; i++) {
    const limb = limbAt(number, i)
    setLimb(to, i, (limb << bits) | ((below >> 1) >> (63 - bits)))
    below = limb
  }
  return (below >> 1) >> (63 - bits)
}

export function shiftDown(number: usize, n: i32, limbs: i32, bits: u64, to: usize): void {
  for (let i = limbs; i < n; i++) {
    const above = i + 1 < n ? limbAt(number, i + 1) : 0
    setLimb(to, i - limbs, (limbAt(number, i) >> bits) | ((above << 1) << (63 - bits)))
  }
}

/** Leaves the remainder in the lowest n limbs; needs room for count + 1 limbs and a modulus whose highest limb is not zero. */
export function reduceLong(number: usize, count: i32, modulus: usize, n: i32): void {
  if (count < n) {
    clearLong(number + (<usize>count << 3), n - count)
    return
  }
  if (n == 1) {
    setLimb(number, 0, divideByLimb(number, count, load<u64>(modulus), number))
    return
  }
  const bits = clz(limbAt(modulus, n - 1))
  shiftUp(modulus, n, bits, LONG_NORMALIZED)
  setLimb(number, count, shiftUp(number, count, bits, number))
  const d1 = limbAt(LONG_NORMALIZED, n - 1)
  const d0 = limbAt(LONG_NORMALIZED, n - 2)
  const inverse = reciprocalOfTwo(d1, d0)
  for (let i = count - n; i >= 0; i--) reduceDigit(number + (<usize>i << 3), n, d1, d0, inverse)
  shiftDown(number, n, 0, bits, number)
}

function reduceDigit(at: usize, n: i32, d1: u64, d0: u64, inverse: u64): void {
  const u2 = limbAt(at, n)
  const u1 = limbAt(at, n - 1)
  const u0 = limbAt(at, n - 2)
  let digit = u64.MAX_VALUE
  if (u2 != d1 || u1 != d0) {
    // Moeller and Granlund, "Improved division by invariant integers", algorithm 5.
    const estimateLow = inverse * u2 + u1
    digit = mulHigh(inverse, u2) + u2 + u64(estimateLow < u1)
    const productLow = d0 * digit
    let r0 = u0 - productLow
    let r1 = u1 - digit * d1 - mulHigh(d0, digit) - u64(u0 < productLow)
    r1 = r1 - d1 - u64(r0 < d0)
    r0 -= d0
    digit++
    if (r1 >= estimateLow) {
      digit--
      r0 += d0
      r1 += d1 + u64(r0 < d0)
    }
    if (r1 > d1 || (r1 == d1 && r0 >= d0)) digit++
  }
  const borrow = subtractProduct(at, LONG_NORMALIZED, n, digit)
  if (u2 < borrow) addLong(at, LONG_NORMALIZED, n)
}
