import { addProduct, clearLong, copyLong, lessThanLong, limbAt, setLimb, subtractLong } from './long'
import { LONG_SUM } from './scratch'
import { mulHigh } from './wide'

/** Newton's iteration from five correct bits. */
export function inverseOfLimb(odd: u64): u64 {
  let inverse = (odd * 3) ^ 2
  for (let bits = 5; bits < 64; bits <<= 1) inverse *= 2 - odd * inverse
  return inverse
}

// @ts-ignore: decorator
@inline
export function multiplyLimb(a: u64, b: u64, modulus: u64, inverse: u64): u64 {
  const high = mulHigh(a, b)
  const taken = mulHigh(a * b * inverse, modulus)
  return high - taken + (high < taken ? modulus : 0)
}

/**
 * a * b / 2^(64 n) for a * b < modulus * 2^(64 n): FIOS in Koc, Acar and Kaliski, "Analyzing and comparing Montgomery
 * multiplication algorithms", section 6.
 */
export function multiplyMontgomery(a: usize, b: usize, modulus: usize, n: i32, inverse: u64, out: usize): void {
  clearLong(LONG_SUM, n + 1)
  for (let i = 0; i < n; i++) addRow(a, limbAt(b, i), modulus, n, 0 - inverse)
  if (limbAt(LONG_SUM, n) != 0 || !lessThanLong(LONG_SUM, modulus, n)) subtractLong(LONG_SUM, modulus, n, out)
  else copyLong(LONG_SUM, n, out)
}

// @ts-ignore: decorator
@inline
function addRow(a: usize, limb: u64, modulus: usize, n: i32, negativeInverse: u64): void {
  const a0 = load<u64>(a)
  const low0 = a0 * limb
  const sum0 = load<u64>(LONG_SUM) + low0
  const multiple = sum0 * negativeInverse
  let carryA = mulHigh(a0, limb) + u64(sum0 < low0)
  let carryM = mulHigh(multiple, load<u64>(modulus)) + u64(sum0 != 0)
  const end = <usize>n << 3
  for (let at: usize = 8; at < end; at += 8) {
    const factorA = load<u64>(a + at)
    const lowA = factorA * limb
    const sumA = load<u64>(LONG_SUM + at) + lowA
    const totalA = sumA + carryA
    carryA = mulHigh(factorA, limb) + u64(sumA < lowA) + u64(totalA < carryA)
    const factorM = load<u64>(modulus + at)
    const lowM = factorM * multiple
    const sumM = totalA + lowM
    const totalM = sumM + carryM
    carryM = mulHigh(factorM, multiple) + u64(sumM < lowM) + u64(totalM < carryM)
    store<u64>(LONG_SUM + at - 8, totalM)
  }
  const top = load<u64>(LONG_SUM + end)
  const sum = top + carryA
  const total = sum + carryM
  store<u64>(LONG_SUM + end - 8, total)
  store<u64>(LONG_SUM + end, u64(sum < top) + u64(total < sum))
}

/** a * b modulo 2^(64 n). */
export function multiplyTruncated(a: usize, b: usize, n: i32, out: usize): void {
  clearLong(LONG_SUM, n)
  for (let i = 0; i < n; i++) {
    const limb = limbAt(b, i)
    if (limb != 0) addProduct(LONG_SUM + (<usize>i << 3), a, n - i, limb)
  }
  copyLong(LONG_SUM, n, out)
}

/** Inverse modulo 2^(64 n); `work` has room for n limbs. */
export function inverseOfLong(odd: usize, n: i32, out: usize, work: usize): void {
  setLimb(out, 0, inverseOfLimb(load<u64>(odd)))
  for (let known = 1; known < n; ) {
    const next = min(2 * known, n)
    clearLong(out + (<usize>known << 3), next - known)
    multiplyTruncated(odd, out, next, work)
    let carry: u64 = 3
    for (let i = 0; i < next; i++) {
      const limb = ~limbAt(work, i)
      setLimb(work, i, limb + carry)
      carry = u64(limb + carry < carry)
    }
    multiplyTruncated(work, out, next, out)
    known = next
  }
}
