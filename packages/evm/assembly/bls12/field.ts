/** Elements are below twice the modulus with carried limbs unless noted; a result may replace an operand. */
import { LIMB_BITS, LIMBS, limb, put, WORD_MASK, word } from './limbs'
import { invert } from './invert'
import { multiply } from './multiply'
import { product } from './product'
import { MODULUS, reduce } from './reduce'
import { square } from './square'

export { invert, multiply, product, reduce, square }
export { ELEMENT } from './limbs'

export function add(z: usize, x: usize, y: usize): void {
  const d0 = word(x, 0) + word(y, 0) - 0xfff5556
  const d1 = word(x, 1) + word(y, 1) - 0xfdfffff + (d0 >> 28)
  const d2 = word(x, 2) + word(y, 2) - 0x7ffff73 + (d1 >> 28)
  const d3 = word(x, 3) + word(y, 3) - 0xfffd62a + (d2 >> 28)
  const d4 = word(x, 4) + word(y, 4) - 0xc483d57 + (d3 >> 28)
  const d5 = word(x, 5) + word(y, 5) - 0x41ed61e + (d4 >> 28)
  const d6 = word(x, 6) + word(y, 6) - 0xece61a5 + (d5 >> 28)
  const d7 = word(x, 7) + word(y, 7) - 0xe70a257 + (d6 >> 28)
  const d8 = word(x, 8) + word(y, 8) - 0x8ee9709 + (d7 >> 28)
  const d9 = word(x, 9) + word(y, 9) - 0x9759aec + (d8 >> 28)
  const d10 = word(x, 10) + word(y, 10) - 0x74f6c86 + (d9 >> 28)
  const d11 = word(x, 11) + word(y, 11) - 0xcd34963 + (d10 >> 28)
  const d12 = word(x, 12) + word(y, 12) - 0x3d472ff + (d11 >> 28)
  const d13 = word(x, 13) + word(y, 13) - 0x34022 + (d12 >> 28)
  if (d13 < 0) {
    const e0 = (d0 & WORD_MASK) + 0xfff5556; store<u32>(z, e0 & WORD_MASK, 0)
    const e1 = (d1 & WORD_MASK) + 0xfdfffff + (e0 >> 28); store<u32>(z, e1 & WORD_MASK, 4)
    const e2 = (d2 & WORD_MASK) + 0x7ffff73 + (e1 >> 28); store<u32>(z, e2 & WORD_MASK, 8)
    const e3 = (d3 & WORD_MASK) + 0xfffd62a + (e2 >> 28); store<u32>(z, e3 & WORD_MASK, 12)
    const e4 = (d4 & WORD_MASK) + 0xc483d57 + (e3 >> 28); store<u32>(z, e4 & WORD_MASK, 16)
    const e5 = (d5 & WORD_MASK) + 0x41ed61e + (e4 >> 28); store<u32>(z, e5 & WORD_MASK, 20)
    const e6 = (d6 & WORD_MASK) + 0xece61a5 + (e5 >> 28); store<u32>(z, e6 & WORD_MASK, 24)
    const e7 = (d7 & WORD_MASK) + 0xe70a257 + (e6 >> 28); store<u32>(z, e7 & WORD_MASK, 28)
    const e8 = (d8 & WORD_MASK) + 0x8ee9709 + (e7 >> 28); store<u32>(z, e8 & WORD_MASK, 32)
    const e9 = (d9 & WORD_MASK) + 0x9759aec + (e8 >> 28); store<u32>(z, e9 & WORD_MASK, 36)
    const e10 = (d10 & WORD_MASK) + 0x74f6c86 + (e9 >> 28); store<u32>(z, e10 & WORD_MASK, 40)
    const e11 = (d11 & WORD_MASK) + 0xcd34963 + (e10 >> 28); store<u32>(z, e11 & WORD_MASK, 44)
    const e12 = (d12 & WORD_MASK) + 0x3d472ff + (e11 >> 28); store<u32>(z, e12 & WORD_MASK, 48)
    store<u32>(z, d13 + 0x34022 + (e12 >> 28), 52)
    return
  }
  store<u32>(z, d0 & WORD_MASK, 0)
  store<u32>(z, d1 & WORD_MASK, 4)
  store<u32>(z, d2 & WORD_MASK, 8)
  store<u32>(z, d3 & WORD_MASK, 12)
  store<u32>(z, d4 & WORD_MASK, 16)
  store<u32>(z, d5 & WORD_MASK, 20)
  store<u32>(z, d6 & WORD_MASK, 24)
  store<u32>(z, d7 & WORD_MASK, 28)
  store<u32>(z, d8 & WORD_MASK, 32)
  store<u32>(z, d9 & WORD_MASK, 36)
  store<u32>(z, d10 & WORD_MASK, 40)
  store<u32>(z, d11 & WORD_MASK, 44)
  store<u32>(z, d12 & WORD_MASK, 48)
  store<u32>(z, d13, 52)
}

export function subtract(z: usize, x: usize, y: usize): void {
  const d0 = word(x, 0) - word(y, 0)
  const d1 = word(x, 1) - word(y, 1) + (d0 >> 28)
  const d2 = word(x, 2) - word(y, 2) + (d1 >> 28)
  const d3 = word(x, 3) - word(y, 3) + (d2 >> 28)
  const d4 = word(x, 4) - word(y, 4) + (d3 >> 28)
  const d5 = word(x, 5) - word(y, 5) + (d4 >> 28)
  const d6 = word(x, 6) - word(y, 6) + (d5 >> 28)
  const d7 = word(x, 7) - word(y, 7) + (d6 >> 28)
  const d8 = word(x, 8) - word(y, 8) + (d7 >> 28)
  const d9 = word(x, 9) - word(y, 9) + (d8 >> 28)
  const d10 = word(x, 10) - word(y, 10) + (d9 >> 28)
  const d11 = word(x, 11) - word(y, 11) + (d10 >> 28)
  const d12 = word(x, 12) - word(y, 12) + (d11 >> 28)
  const d13 = word(x, 13) - word(y, 13) + (d12 >> 28)
  if (d13 < 0) {
    const e0 = (d0 & WORD_MASK) + 0xfff5556; store<u32>(z, e0 & WORD_MASK, 0)
    const e1 = (d1 & WORD_MASK) + 0xfdfffff + (e0 >> 28); store<u32>(z, e1 & WORD_MASK, 4)
    const e2 = (d2 & WORD_MASK) + 0x7ffff73 + (e1 >> 28); store<u32>(z, e2 & WORD_MASK, 8)
    const e3 = (d3 & WORD_MASK) + 0xfffd62a + (e2 >> 28); store<u32>(z, e3 & WORD_MASK, 12)
    const e4 = (d4 & WORD_MASK) + 0xc483d57 + (e3 >> 28); store<u32>(z, e4 & WORD_MASK, 16)
    const e5 = (d5 & WORD_MASK) + 0x41ed61e + (e4 >> 28); store<u32>(z, e5 & WORD_MASK, 20)
    const e6 = (d6 & WORD_MASK) + 0xece61a5 + (e5 >> 28); store<u32>(z, e6 & WORD_MASK, 24)
    const e7 = (d7 & WORD_MASK) + 0xe70a257 + (e6 >> 28); store<u32>(z, e7 & WORD_MASK, 28)
    const e8 = (d8 & WORD_MASK) + 0x8ee9709 + (e7 >> 28); store<u32>(z, e8 & WORD_MASK, 32)
    const e9 = (d9 & WORD_MASK) + 0x9759aec + (e8 >> 28); store<u32>(z, e9 & WORD_MASK, 36)
    const e10 = (d10 & WORD_MASK) + 0x74f6c86 + (e9 >> 28); store<u32>(z, e10 & WORD_MASK, 40)
    const e11 = (d11 & WORD_MASK) + 0xcd34963 + (e10 >> 28); store<u32>(z, e11 & WORD_MASK, 44)
    const e12 = (d12 & WORD_MASK) + 0x3d472ff + (e11 >> 28); store<u32>(z, e12 & WORD_MASK, 48)
    store<u32>(z, d13 + 0x34022 + (e12 >> 28), 52)
    return
  }
  store<u32>(z, d0 & WORD_MASK, 0)
  store<u32>(z, d1 & WORD_MASK, 4)
  store<u32>(z, d2 & WORD_MASK, 8)
  store<u32>(z, d3 & WORD_MASK, 12)
  store<u32>(z, d4 & WORD_MASK, 16)
  store<u32>(z, d5 & WORD_MASK, 20)
  store<u32>(z, d6 & WORD_MASK, 24)
  store<u32>(z, d7 & WORD_MASK, 28)
  store<u32>(z, d8 & WORD_MASK, 32)
  store<u32>(z, d9 & WORD_MASK, 36)
  store<u32>(z, d10 & WORD_MASK, 40)
  store<u32>(z, d11 & WORD_MASK, 44)
  store<u32>(z, d12 & WORD_MASK, 48)
  store<u32>(z, d13, 52)
}

/** Leaves limbs below 2^29 uncarried, for factors of products only. */
// @ts-ignore: decorator
@inline
export function addLoosely(z: usize, x: usize, y: usize): void {
  v128.store(z, i32x4.add(v128.load(x), v128.load(y)))
  v128.store(z, i32x4.add(v128.load(x, 16), v128.load(y, 16)), 16)
  v128.store(z, i32x4.add(v128.load(x, 32), v128.load(y, 32)), 32)
  v128.store(z, i32x4.add(v128.load(x, 48), v128.load(y, 48)), 48)
}

// @ts-ignore: decorator
@inline
export function copyElement(z: usize, x: usize): void {
  v128.store(z, v128.load(x))
  v128.store(z, v128.load(x, 16), 16)
  v128.store(z, v128.load(x, 32), 32)
  v128.store(z, v128.load(x, 48), 48)
}

const SQUARED_RADIX: usize = memory.data<u32>([0x10370ed, 0x6d1c345, 0xe243d62, 0xec45c53, 0x3b1d65a, 0x93317d, 0xb4f36a0, 0x5d74088, 0xc10ea72, 0x865d118, 0x7320a75, 0xfd5cd50, 0xcc8a759, 0xc8d4, 0, 0], 16)
export const ONE: usize = memory.data<u32>([0x347fcb8, 0xd800000, 0x2b119, 0xcde6d2, 0xc7212e0, 0x83a2090, 0x37669f, 0xda0f73e, 0x9b09b42, 0x1297bb0, 0x515d98f, 0x12ca7c, 0x659fcfa, 0x577a, 0, 0], 16)
export const ZERO: usize = memory.data(64, 16)
const PLAIN_ONE: usize = memory.data<u32>([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16)
const BASE: usize = memory.data(64, 16)

export function isZero(x: usize): bool {
  let any: u32 = 0
  let other: u32 = 0
  for (let i: usize = 0; i < 56; i += 4) {
    any |= load<u32>(x + i)
    other |= load<u32>(x + i) ^ load<u32>(MODULUS + i)
  }
  return any == 0 || other == 0
}

/** Reads 48 big-endian bytes below the modulus. */
export function readElement(z: usize, bytes: usize): void {
  for (let i: usize = 0; i < LIMBS; i++) {
    let value: u64 = 0
    const first: usize = (28 * i) >> 3
    for (let j: usize = 5; j > 0; j--) {
      const at: usize = first + j - 1
      value = (value << 8) | (at < 48 ? <u64>load<u8>(bytes + 47 - at) : 0)
    }
    put(z, i, value >> ((28 * i) & 7))
  }
  store<u64>(z, 0, 56)
  multiply(z, z, SQUARED_RADIX)
}

export function writeElement(bytes: usize, x: usize): void {
  multiply(BASE, x, PLAIN_ONE)
  if (isZero(BASE)) copyElement(BASE, ZERO)
  let value: u64 = 0
  let bits: u64 = 0
  let i: usize = 0
  for (let at: usize = 0; at < 48; at++) {
    if (bits < 8) {
      value |= limb(BASE, i++) << bits
      bits += LIMB_BITS
    }
    store<u8>(bytes + 47 - at, <u8>value)
    value >>= 8
    bits -= 8
  }
}
