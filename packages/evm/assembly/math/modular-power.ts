/**
 * MODEXP (EIP-198): Montgomery products for the odd part of the modulus, truncated products for the power of two, joined by the
 * Chinese remainder theorem.
 */
import { addProduct, clearLong, copyLong, limbAt, readBytes, reduceLong, setLimb, shiftDown, subtractLong, writeBytes } from './long'
import { inverseOfLimb, inverseOfLong, multiplyLimb, multiplyMontgomery, multiplyTruncated } from './montgomery'
import {
  LONG_BASE,
  LONG_INVERSE,
  LONG_MODULUS,
  LONG_NUMERATOR,
  LONG_ODD,
  LONG_ODD_RESULT,
  LONG_RESULT,
  LONG_ROOM,
  LONG_TABLE,
} from './scratch'

const WINDOW_FROM_BYTES: usize = 4

/** Base and modulus have at most 1024 big-endian bytes (EIP-7823); a zero modulus gives zero. */
export function modularPower(
  base: usize,
  baseLength: usize,
  exponent: usize,
  exponentLength: usize,
  modulus: usize,
  modulusLength: usize,
  out: usize,
): void {
  const n = readBytes(modulus, modulusLength, LONG_MODULUS)
  if (n == 0) {
    memory.fill(out, 0, modulusLength)
    return
  }
  let start = exponent
  const end = exponent + exponentLength
  while (start < end && load<u8>(start) == 0) start++
  const zeros = trailingZeros(n)
  const oddLimbs = divideByPowerOfTwo(n, zeros)
  const evenLimbs = (zeros + 63) >> 6
  if (oddLimbs > 1 || load<u64>(LONG_ODD) > 1) powerModuloOdd(base, baseLength, start, end, oddLimbs)
  else clearLong(LONG_ODD_RESULT, oddLimbs)
  if (zeros == 0) {
    writeBytes(LONG_ODD_RESULT, oddLimbs, out, modulusLength)
    return
  }
  powerModuloPowerOfTwo(base, baseLength, start, end, evenLimbs)
  join(oddLimbs, evenLimbs, zeros)
  writeBytes(LONG_ODD_RESULT, oddLimbs + evenLimbs, out, modulusLength)
}

function trailingZeros(n: i32): i32 {
  let i = 0
  while (limbAt(LONG_MODULUS, i) == 0) i++
  return (i << 6) + <i32>ctz(limbAt(LONG_MODULUS, i))
}

function divideByPowerOfTwo(n: i32, zeros: i32): i32 {
  shiftDown(LONG_MODULUS, n, zeros >> 6, <u64>(zeros & 63), LONG_ODD)
  const count = n - (zeros >> 6)
  return limbAt(LONG_ODD, count - 1) == 0 ? count - 1 : count
}

function powerModuloOdd(base: usize, baseLength: usize, exponent: usize, end: usize, n: i32): void {
  const inverse = inverseOfLimb(load<u64>(LONG_ODD))
  clearLong(LONG_NUMERATOR, n)
  const count = readBytes(base, baseLength, LONG_NUMERATOR + (<usize>n << 3))
  reduceLong(LONG_NUMERATOR, n + count, LONG_ODD, n)
  copyLong(LONG_NUMERATOR, n, LONG_TABLE + LONG_ROOM)
  if (exponent == end) putOne(LONG_ODD_RESULT, n)
  else {
    raise(exponent, end, n, inverse, LONG_ODD_RESULT)
    putOne(LONG_NUMERATOR, n)
    multiplyIn(LONG_ODD_RESULT, LONG_NUMERATOR, n, inverse, LONG_ODD_RESULT)
  }
}

function powerModuloPowerOfTwo(base: usize, baseLength: usize, exponent: usize, end: usize, n: i32): void {
  const power = LONG_TABLE + LONG_ROOM
  const count = readBytes(base, baseLength, LONG_BASE)
  if (count < n) clearLong(LONG_BASE + (<usize>count << 3), n - count)
  copyLong(LONG_BASE, n, power)
  if (exponent == end) putOne(LONG_RESULT, n)
  else raise(exponent, end, n, 0, LONG_RESULT)
}

function putOne(number: usize, n: i32): void {
  clearLong(number, n)
  setLimb(number, 0, 1)
}

// @ts-ignore: decorator
@inline
function multiplyIn(a: usize, b: usize, n: i32, inverse: u64, out: usize): void {
  if (inverse == 0) multiplyTruncated(a, b, n, out)
  else if (n == 1) store<u64>(out, multiplyLimb(load<u64>(a), load<u64>(b), load<u64>(LONG_ODD), inverse))
  else multiplyMontgomery(a, b, LONG_ODD, n, inverse, out)
}

function raise(exponent: usize, end: usize, n: i32, inverse: u64, out: usize): void {
  const first = load<u8>(exponent)
  if (end - exponent < WINDOW_FROM_BYTES) {
    copyLong(LONG_TABLE + LONG_ROOM, n, out)
    multiplyByBits(<u32>first, 31 - clz(<u32>first), n, inverse, out)
    for (let at = exponent + 1; at < end; at++) multiplyByBits(<u32>load<u8>(at), 8, n, inverse, out)
    return
  }
  for (let i: usize = 2; i < 16; i++) {
    const entry = LONG_TABLE + i * LONG_ROOM
    multiplyIn(entry - LONG_ROOM, LONG_TABLE + LONG_ROOM, n, inverse, entry)
  }
  if (n == 1) {
    store<u64>(out, raiseLimb(exponent, end, load<u64>(LONG_ODD), inverse))
    return
  }
  const high = first >> 4
  copyLong(LONG_TABLE + <usize>(high == 0 ? first : high) * LONG_ROOM, n, out)
  if (high != 0) multiplyByDigit(first & 15, n, inverse, out)
  for (let at = exponent + 1; at < end; at++) {
    const byte = load<u8>(at)
    multiplyByDigit(byte >> 4, n, inverse, out)
    multiplyByDigit(byte & 15, n, inverse, out)
  }
}

function multiplyByBits(bits: u32, count: u32, n: i32, inverse: u64, out: usize): void {
  for (let left = count; left > 0; left--) {
    multiplyIn(out, out, n, inverse, out)
    if (((bits >> (left - 1)) & 1) != 0) multiplyIn(out, LONG_TABLE + LONG_ROOM, n, inverse, out)
  }
}

function multiplyByDigit(digit: u8, n: i32, inverse: u64, out: usize): void {
  for (let i = 0; i < 4; i++) multiplyIn(out, out, n, inverse, out)
  if (digit != 0) multiplyIn(out, LONG_TABLE + <usize>digit * LONG_ROOM, n, inverse, out)
}

/** Keeps one-limb moduli in locals, because they have the lowest price for a long exponent (EIP-2565). */
function raiseLimb(exponent: usize, end: usize, modulus: u64, inverse: u64): u64 {
  let high = true
  let at = exponent
  let result: u64 = 0
  let started = false
  while (at < end) {
    const byte = load<u8>(at)
    const digit = <usize>(high ? byte >> 4 : byte & 15)
    if (!high) at++
    high = !high
    if (started) {
      for (let i = 0; i < 4; i++) result = inverse == 0 ? result * result : multiplyLimb(result, result, modulus, inverse)
      if (digit != 0) {
        const power = load<u64>(LONG_TABLE + digit * LONG_ROOM)
        result = inverse == 0 ? result * power : multiplyLimb(result, power, modulus, inverse)
      }
    } else if (digit != 0) {
      result = load<u64>(LONG_TABLE + digit * LONG_ROOM)
      started = true
    }
  }
  return result
}

/** odd result + odd * ((result - odd result) / odd modulo 2^zeros) */
function join(oddLimbs: i32, evenLimbs: i32, zeros: i32): void {
  const total = oddLimbs + evenLimbs
  clearLong(LONG_ODD_RESULT + (<usize>oddLimbs << 3), evenLimbs)
  clearLong(LONG_ODD + (<usize>oddLimbs << 3), evenLimbs)
  subtractLong(LONG_RESULT, LONG_ODD_RESULT, evenLimbs, LONG_RESULT)
  inverseOfLong(LONG_ODD, evenLimbs, LONG_INVERSE, LONG_NUMERATOR)
  multiplyTruncated(LONG_RESULT, LONG_INVERSE, evenLimbs, LONG_RESULT)
  const bits = <u64>(zeros & 63)
  if (bits != 0) setLimb(LONG_RESULT, evenLimbs - 1, limbAt(LONG_RESULT, evenLimbs - 1) & ((<u64>1 << bits) - 1))
  for (let i = 0; i < evenLimbs; i++) addProduct(LONG_ODD_RESULT + (<usize>i << 3), LONG_ODD, total - i, limbAt(LONG_RESULT, i))
}
