/**
 * Unless noted, an element is between plus and minus 1.1 times the modulus, and its limbs are signed and at most 2^28 + 8. A
 * result may replace an operand.
 */
import { LIMB_BITS, LIMBS, limb, put, WORD_MASK } from './limbs'
import { invert } from './invert'
import { multiply } from './multiply'
import { product } from './product'
import { MODULUS, reduce } from './reduce'
import { square } from './square'

export { invert, multiply, product, reduce, square }
export { ELEMENT } from './limbs'

/** Multiples of the modulus from -4 to 4. */
const MULTIPLES: usize = memory.data(9 * 64, 16)

export function prepareField(): void {
  for (let i = -4; i <= 4; i++) {
    const at = MULTIPLES + (<usize>(i + 4) << 6)
    for (let j: usize = 0; j < 56; j += 4) store<i32>(at + j, i * load<i32>(MODULUS + j))
  }
}

/** Subtracts the nearest multiple of the modulus from a sum of limbs, and carries once. */
// @ts-ignore: decorator
@inline
function settle(z: usize, a: v128, b: v128, c: v128, d: v128): void {
  // 2^26 / 630 is the modulus divided by 2^364.
  const multiple = MULTIPLES + (<usize>(((i32x4.extract_lane(d, 1) * 630 + (1 << 25)) >> 26) + 4) << 6)
  a = i32x4.sub(a, v128.load(multiple))
  b = i32x4.sub(b, v128.load(multiple, 16))
  c = i32x4.sub(c, v128.load(multiple, 32))
  d = i32x4.sub(d, v128.load(multiple, 48))
  const mask = i32x4(WORD_MASK, WORD_MASK, WORD_MASK, WORD_MASK)
  const carryA = i32x4.shr_s(a, 28)
  const carryB = i32x4.shr_s(b, 28)
  const carryC = i32x4.shr_s(c, 28)
  const carryD = v128.and(i32x4.shr_s(d, 28), i32x4(-1, 0, 0, 0))
  v128.store(z, i32x4.add(v128.and(a, mask), v128.shuffle<i32>(i32x4(0, 0, 0, 0), carryA, 3, 4, 5, 6)))
  v128.store(z, i32x4.add(v128.and(b, mask), v128.shuffle<i32>(carryA, carryB, 3, 4, 5, 6)), 16)
  v128.store(z, i32x4.add(v128.and(c, mask), v128.shuffle<i32>(carryB, carryC, 3, 4, 5, 6)), 32)
  v128.store(z, i32x4.add(v128.and(d, i32x4(WORD_MASK, -1, 0, 0)), v128.shuffle<i32>(carryC, carryD, 3, 4, 5, 6)), 48)
}

export function add(z: usize, x: usize, y: usize): void {
  settle(
    z,
    i32x4.add(v128.load(x), v128.load(y)),
    i32x4.add(v128.load(x, 16), v128.load(y, 16)),
    i32x4.add(v128.load(x, 32), v128.load(y, 32)),
    i32x4.add(v128.load(x, 48), v128.load(y, 48)),
  )
}

export function subtract(z: usize, x: usize, y: usize): void {
  settle(
    z,
    i32x4.sub(v128.load(x), v128.load(y)),
    i32x4.sub(v128.load(x, 16), v128.load(y, 16)),
    i32x4.sub(v128.load(x, 32), v128.load(y, 32)),
    i32x4.sub(v128.load(x, 48), v128.load(y, 48)),
  )
}

/** Leaves limbs of at most 2^29 uncarried, for factors of products only. */
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
export function subtractLoosely(z: usize, x: usize, y: usize): void {
  v128.store(z, i32x4.sub(v128.load(x), v128.load(y)))
  v128.store(z, i32x4.sub(v128.load(x, 16), v128.load(y, 16)), 16)
  v128.store(z, i32x4.sub(v128.load(x, 32), v128.load(y, 32)), 32)
  v128.store(z, i32x4.sub(v128.load(x, 48), v128.load(y, 48)), 48)
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

const SETTLED: usize = memory.data(64, 16)

export function isZero(x: usize): bool {
  add(SETTLED, x, ZERO)
  let carry: i32 = 0
  for (let i: usize = 0; i < 52; i += 4) {
    carry += load<i32>(SETTLED + i)
    if (carry & WORD_MASK) return false
    carry >>= 28
  }
  return carry + load<i32>(SETTLED, 52) == 0
}

/** Writes the representative from 0 to the modulus less one, with limbs below 2^28. */
export function makeCanonical(z: usize, x: usize): void {
  add(SETTLED, x, ZERO)
  carryAll(z, SETTLED, ZERO)
  if (load<i32>(z, 52) < 0) carryAll(z, z, MODULUS)
}

function carryAll(z: usize, x: usize, y: usize): void {
  let carry: i32 = 0
  for (let i: usize = 0; i < 52; i += 4) {
    carry += load<i32>(x + i) + load<i32>(y + i)
    store<i32>(z + i, carry & WORD_MASK)
    carry >>= 28
  }
  store<i32>(z, load<i32>(x, 52) + load<i32>(y, 52) + carry, 52)
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

export function isOdd(x: usize): bool {
  multiply(BASE, x, PLAIN_ONE)
  return !isZero(BASE) && (load<u32>(BASE) & 1) != 0
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
