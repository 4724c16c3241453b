import { DIVISOR, NUMERATOR } from './scratch'
import { mulHigh, reciprocal, reciprocalOfTwo } from './wide'
import { limbCount, putWord } from './word'

// @ts-ignore: decorator
@inline
function carried(below: u64, shift: u64): u64 {
  return (below >> 1) >> (63 - shift)
}

/**
 * The divisor must not be zero; `quotient` gets `count` limbs, `remainder` four, and both may overwrite operands but not each
 * other.
 */
export function divide(numerator: usize, count: i32, divisor: usize, quotient: usize, remainder: usize): void {
  const divisorCount = limbCount(divisor)
  if (divisorCount == 1) {
    const d = load<u64>(divisor)
    putWord(remainder, divideByLimb(numerator, count, d, quotient), 0, 0, 0)
  } else {
    divideByLimbs(numerator, count, divisor, divisorCount, quotient, remainder)
  }
}

/** Returns the remainder. */
export function divideByLimb(numerator: usize, count: i32, divisor: u64, quotient: usize): u64 {
  if (count == 1) {
    const only = load<u64>(numerator)
    store<u64>(quotient, only / divisor)
    return only % divisor
  }
  if (count == 2 && divisor >> 32 == 0) return divideByHalf(numerator, divisor, quotient)
  const shift = clz(divisor)
  const d = divisor << shift
  const inverse = reciprocal(d)
  let at = <usize>(count - 1) << 3
  let limb = load<u64>(numerator + at)
  let rest = carried(limb, shift)
  while (true) {
    const below = at == 0 ? <u64>0 : load<u64>(numerator + at - 8)
    const next = (limb << shift) | carried(below, shift)
    // Moeller and Granlund, algorithm 4.
    const estimateLow = rest * inverse + next
    let digit = mulHigh(rest, inverse) + rest + u64(estimateLow < next) + 1
    rest = next - digit * d
    if (rest > estimateLow) {
      digit--
      rest += d
    }
    if (rest >= d) {
      digit++
      rest -= d
    }
    store<u64>(quotient + at, digit)
    if (at == 0) return rest >> shift
    at -= 8
    limb = below
  }
  return 0
}

/** At most four hardware divisions, which cost less than a reciprocal. */
function divideByHalf(numerator: usize, divisor: u64, quotient: usize): u64 {
  const high = load<u64>(numerator, 8)
  const low = load<u64>(numerator)
  const quotientHigh = high / divisor
  const upper = ((high - quotientHigh * divisor) << 32) | (low >> 32)
  const quotientUpper = upper / divisor
  const lower = ((upper - quotientUpper * divisor) << 32) | (low & 0xffffffff)
  const quotientLower = lower / divisor
  store<u64>(quotient, (quotientUpper << 32) + quotientLower)
  store<u64>(quotient, quotientHigh, 8)
  return lower - quotientLower * divisor
}

/** Knuth's algorithm D with 64-bit digits estimated from three limbs by two. */
function divideByLimbs(numerator: usize, count: i32, divisor: usize, divisorCount: i32, quotient: usize, remainder: usize): void {
  if (count < divisorCount) {
    for (let i = 0; i < 4; i++) store<u64>(remainder + (<usize>i << 3), i < count ? load<u64>(numerator + (<usize>i << 3)) : 0)
    for (let i = 0; i < count; i++) store<u64>(quotient + (<usize>i << 3), 0)
    return
  }
  const size = <usize>divisorCount << 3
  const shift = clz(load<u64>(divisor + size - 8))
  shiftLeft(divisor, divisorCount, shift, DIVISOR)
  store<u64>(NUMERATOR + (<usize>count << 3), carried(load<u64>(numerator + (<usize>count << 3) - 8), shift))
  shiftLeft(numerator, count, shift, NUMERATOR)
  const d1 = load<u64>(DIVISOR + size - 8)
  const d0 = load<u64>(DIVISOR + size - 16)
  const inverse = reciprocalOfTwo(d1, d0)
  for (let i = count - divisorCount; i >= 0; i--) {
    const at = NUMERATOR + (<usize>i << 3)
    store<u64>(quotient + (<usize>i << 3), divideDigit(at, size, d1, d0, inverse))
  }
  for (let i = divisorCount; i < 4; i++) store<u64>(NUMERATOR + (<usize>i << 3), 0)
  for (let i = count - divisorCount + 1; i < count; i++) store<u64>(quotient + (<usize>i << 3), 0)
  const r0 = load<u64>(NUMERATOR)
  const r1 = load<u64>(NUMERATOR, 8)
  const r2 = load<u64>(NUMERATOR, 16)
  const r3 = load<u64>(NUMERATOR, 24)
  const up = 63 - shift
  putWord(remainder, (r0 >> shift) | ((r1 << 1) << up), (r1 >> shift) | ((r2 << 1) << up), (r2 >> shift) | ((r3 << 1) << up), r3 >> shift)
}

function shiftLeft(from: usize, count: i32, shift: u64, to: usize): void {
  let below: u64 = 0
  for (let at: usize = 0; at < <usize>count << 3; at += 8) {
    const limb = load<u64>(from + at)
    store<u64>(to + at, (limb << shift) | carried(below, shift))
    below = limb
  }
}

// @ts-ignore: decorator
@inline
function divideDigit(at: usize, size: usize, d1: u64, d0: u64, inverse: u64): u64 {
  const top = at + size
  const u2 = load<u64>(top)
  const u1 = load<u64>(top - 8)
  const u0 = load<u64>(top - 16)
  if (u2 == d1 && u1 == d0) return divideOverflowing(at, size)
  const estimateLow = inverse * u2 + u1
  let digit = mulHigh(inverse, u2) + u2 + u64(estimateLow < u1)
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
  if (r1 > d1 || (r1 == d1 && r0 >= d0)) {
    digit++
    r1 = r1 - d1 - u64(r0 < d0)
    r0 -= d0
  }
  if (size > 16) {
    let borrow = subtractProduct(at, 0, digit, 0)
    if (size > 24) borrow = subtractProduct(at, 8, digit, borrow)
    const under0 = u64(r0 < borrow)
    r0 -= borrow
    const under1 = u64(r1 < under0)
    r1 -= under0
    store<u64>(top - 16, r0)
    store<u64>(top - 8, r1)
    if (under1 != 0) {
      digit--
      addBack(at, size)
    }
  } else {
    store<u64>(top - 16, r0)
    store<u64>(top - 8, r1)
  }
  return digit
}

// @ts-ignore: decorator
@inline
function subtractProduct(at: usize, offset: usize, digit: u64, borrow: u64): u64 {
  const limb = load<u64>(DIVISOR + offset)
  const low = digit * limb + borrow
  const high = mulHigh(digit, limb) + u64(low < borrow)
  const value = load<u64>(at + offset)
  store<u64>(at + offset, value - low)
  return high + u64(value < low)
}

/** The carry out of the top cancels the borrow. */
function addBack(at: usize, size: usize): void {
  let carry: u64 = 0
  for (let offset: usize = 0; offset < size; offset += 8) {
    const sum = load<u64>(at + offset) + carry
    const under = u64(sum < carry)
    const limb = load<u64>(DIVISOR + offset)
    const total = sum + limb
    carry = under + u64(total < limb)
    store<u64>(at + offset, total)
  }
}

function divideOverflowing(at: usize, size: usize): u64 {
  let borrow: u64 = 0
  for (let offset: usize = 0; offset < size; offset += 8) borrow = subtractProduct(at, offset, u64.MAX_VALUE, borrow)
  return u64.MAX_VALUE
}
