/**
 * The field of secp256r1: nine limbs of 29 bits, below twice the modulus, in Montgomery form with R = 2^261. Reduction needs only
 * shifts, since p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
 */
export const LIMBS: i32 = 9
export const LIMB_BITS: i64 = 29
export const LIMB_MASK: i64 = 0x1fffffff
export const ELEMENT: usize = 48

// @ts-ignore: decorator
@inline
export function limb(x: usize, i: usize): i64 {
  return <i64>load<u32>(x + (i << 2))
}

// @ts-ignore: decorator
@inline
export function put(z: usize, i: usize, value: i64): void {
  store<u32>(z + (i << 2), <u32>(value & LIMB_MASK))
}

export function multiply(z: usize, x: usize, y: usize): void {
  const x0 = limb(x, 0), x1 = limb(x, 1), x2 = limb(x, 2), x3 = limb(x, 3), x4 = limb(x, 4)
  const x5 = limb(x, 5), x6 = limb(x, 6), x7 = limb(x, 7), x8 = limb(x, 8)
  const y0 = limb(y, 0), y1 = limb(y, 1), y2 = limb(y, 2), y3 = limb(y, 3), y4 = limb(y, 4)
  const y5 = limb(y, 5), y6 = limb(y, 6), y7 = limb(y, 7), y8 = limb(y, 8)
  let t0: i64 = x0 * y0
  let t1: i64 = x0 * y1 + x1 * y0
  let t2: i64 = x0 * y2 + x1 * y1 + x2 * y0
  let t3: i64 = x0 * y3 + x1 * y2 + x2 * y1 + x3 * y0
  let t4: i64 = x0 * y4 + x1 * y3 + x2 * y2 + x3 * y1 + x4 * y0
  let t5: i64 = x0 * y5 + x1 * y4 + x2 * y3 + x3 * y2 + x4 * y1 + x5 * y0
  let t6: i64 = x0 * y6 + x1 * y5 + x2 * y4 + x3 * y3 + x4 * y2 + x5 * y1 + x6 * y0
  let t7: i64 = x0 * y7 + x1 * y6 + x2 * y5 + x3 * y4 + x4 * y3 + x5 * y2 + x6 * y1 + x7 * y0
  let t8: i64 = x0 * y8 + x1 * y7 + x2 * y6 + x3 * y5 + x4 * y4 + x5 * y3 + x6 * y2 + x7 * y1 + x8 * y0
  let t9: i64 = x1 * y8 + x2 * y7 + x3 * y6 + x4 * y5 + x5 * y4 + x6 * y3 + x7 * y2 + x8 * y1
  let t10: i64 = x2 * y8 + x3 * y7 + x4 * y6 + x5 * y5 + x6 * y4 + x7 * y3 + x8 * y2
  let t11: i64 = x3 * y8 + x4 * y7 + x5 * y6 + x6 * y5 + x7 * y4 + x8 * y3
  let t12: i64 = x4 * y8 + x5 * y7 + x6 * y6 + x7 * y5 + x8 * y4
  let t13: i64 = x5 * y8 + x6 * y7 + x7 * y6 + x8 * y5
  let t14: i64 = x6 * y8 + x7 * y7 + x8 * y6
  let t15: i64 = x7 * y8 + x8 * y7
  let t16: i64 = x8 * y8
  let q: i64
  q = t0 & LIMB_MASK
  t1 += t0 >> LIMB_BITS; t3 += q << 9; t6 += q << 18; t7 -= q << 21; t8 += q << 24
  q = t1 & LIMB_MASK
  t2 += t1 >> LIMB_BITS; t4 += q << 9; t7 += q << 18; t8 -= q << 21; t9 += q << 24
  q = t2 & LIMB_MASK
  t3 += t2 >> LIMB_BITS; t5 += q << 9; t8 += q << 18; t9 -= q << 21; t10 += q << 24
  q = t3 & LIMB_MASK
  t4 += t3 >> LIMB_BITS; t6 += q << 9; t9 += q << 18; t10 -= q << 21; t11 += q << 24
  q = t4 & LIMB_MASK
  t5 += t4 >> LIMB_BITS; t7 += q << 9; t10 += q << 18; t11 -= q << 21; t12 += q << 24
  q = t5 & LIMB_MASK
  t6 += t5 >> LIMB_BITS; t8 += q << 9; t11 += q << 18; t12 -= q << 21; t13 += q << 24
  q = t6 & LIMB_MASK
  t7 += t6 >> LIMB_BITS; t9 += q << 9; t12 += q << 18; t13 -= q << 21; t14 += q << 24
  q = t7 & LIMB_MASK
  t8 += t7 >> LIMB_BITS; t10 += q << 9; t13 += q << 18; t14 -= q << 21; t15 += q << 24
  q = t8 & LIMB_MASK
  t9 += t8 >> LIMB_BITS; t11 += q << 9; t14 += q << 18; t15 -= q << 21; t16 += q << 24
  t10 += t9 >> LIMB_BITS; put(z, 0, t9)
  t11 += t10 >> LIMB_BITS; put(z, 1, t10)
  t12 += t11 >> LIMB_BITS; put(z, 2, t11)
  t13 += t12 >> LIMB_BITS; put(z, 3, t12)
  t14 += t13 >> LIMB_BITS; put(z, 4, t13)
  t15 += t14 >> LIMB_BITS; put(z, 5, t14)
  t16 += t15 >> LIMB_BITS; put(z, 6, t15)
  put(z, 7, t16); store<u32>(z, <u32>(t16 >> LIMB_BITS), 32)
}

export function square(z: usize, x: usize): void {
  const x0 = limb(x, 0), x1 = limb(x, 1), x2 = limb(x, 2), x3 = limb(x, 3), x4 = limb(x, 4)
  const x5 = limb(x, 5), x6 = limb(x, 6), x7 = limb(x, 7), x8 = limb(x, 8)
  const d0 = x0 << 1, d1 = x1 << 1, d2 = x2 << 1, d3 = x3 << 1, d4 = x4 << 1, d5 = x5 << 1, d6 = x6 << 1, d7 = x7 << 1
  let t0: i64 = x0 * x0
  let t1: i64 = d0 * x1
  let t2: i64 = d0 * x2 + x1 * x1
  let t3: i64 = d0 * x3 + d1 * x2
  let t4: i64 = d0 * x4 + d1 * x3 + x2 * x2
  let t5: i64 = d0 * x5 + d1 * x4 + d2 * x3
  let t6: i64 = d0 * x6 + d1 * x5 + d2 * x4 + x3 * x3
  let t7: i64 = d0 * x7 + d1 * x6 + d2 * x5 + d3 * x4
  let t8: i64 = d0 * x8 + d1 * x7 + d2 * x6 + d3 * x5 + x4 * x4
  let t9: i64 = d1 * x8 + d2 * x7 + d3 * x6 + d4 * x5
  let t10: i64 = d2 * x8 + d3 * x7 + d4 * x6 + x5 * x5
  let t11: i64 = d3 * x8 + d4 * x7 + d5 * x6
  let t12: i64 = d4 * x8 + d5 * x7 + x6 * x6
  let t13: i64 = d5 * x8 + d6 * x7
  let t14: i64 = d6 * x8 + x7 * x7
  let t15: i64 = d7 * x8
  let t16: i64 = x8 * x8
  let q: i64
  q = t0 & LIMB_MASK
  t1 += t0 >> LIMB_BITS; t3 += q << 9; t6 += q << 18; t7 -= q << 21; t8 += q << 24
  q = t1 & LIMB_MASK
  t2 += t1 >> LIMB_BITS; t4 += q << 9; t7 += q << 18; t8 -= q << 21; t9 += q << 24
  q = t2 & LIMB_MASK
  t3 += t2 >> LIMB_BITS; t5 += q << 9; t8 += q << 18; t9 -= q << 21; t10 += q << 24
  q = t3 & LIMB_MASK
  t4 += t3 >> LIMB_BITS; t6 += q << 9; t9 += q << 18; t10 -= q << 21; t11 += q << 24
  q = t4 & LIMB_MASK
  t5 += t4 >> LIMB_BITS; t7 += q << 9; t10 += q << 18; t11 -= q << 21; t12 += q << 24
  q = t5 & LIMB_MASK
  t6 += t5 >> LIMB_BITS; t8 += q << 9; t11 += q << 18; t12 -= q << 21; t13 += q << 24
  q = t6 & LIMB_MASK
  t7 += t6 >> LIMB_BITS; t9 += q << 9; t12 += q << 18; t13 -= q << 21; t14 += q << 24
  q = t7 & LIMB_MASK
  t8 += t7 >> LIMB_BITS; t10 += q << 9; t13 += q << 18; t14 -= q << 21; t15 += q << 24
  q = t8 & LIMB_MASK
  t9 += t8 >> LIMB_BITS; t11 += q << 9; t14 += q << 18; t15 -= q << 21; t16 += q << 24
  t10 += t9 >> LIMB_BITS; put(z, 0, t9)
  t11 += t10 >> LIMB_BITS; put(z, 1, t10)
  t12 += t11 >> LIMB_BITS; put(z, 2, t11)
  t13 += t12 >> LIMB_BITS; put(z, 3, t12)
  t14 += t13 >> LIMB_BITS; put(z, 4, t13)
  t15 += t14 >> LIMB_BITS; put(z, 5, t14)
  t16 += t15 >> LIMB_BITS; put(z, 6, t15)
  put(z, 7, t16); store<u32>(z, <u32>(t16 >> LIMB_BITS), 32)
}

// @ts-ignore: decorator
@inline
function word(x: usize, i: usize): i32 {
  return load<i32>(x + (i << 2))
}

const WORD_MASK: i32 = 0x1fffffff

export function add(z: usize, x: usize, y: usize): void {
  const d0 = word(x, 0) + word(y, 0) - 0x1ffffffe
  const d1 = word(x, 1) + word(y, 1) - 0x1fffffff + (d0 >> 29)
  const d2 = word(x, 2) + word(y, 2) - 0x1fffffff + (d1 >> 29)
  const d3 = word(x, 3) + word(y, 3) - 0x3ff + (d2 >> 29)
  const d4 = word(x, 4) + word(y, 4) - 0x0 + (d3 >> 29)
  const d5 = word(x, 5) + word(y, 5) - 0x0 + (d4 >> 29)
  const d6 = word(x, 6) + word(y, 6) - 0x80000 + (d5 >> 29)
  const d7 = word(x, 7) + word(y, 7) - 0x1fc00000 + (d6 >> 29)
  const d8 = word(x, 8) + word(y, 8) - 0x1ffffff + (d7 >> 29)
  const m = d8 >> 31
  const e0 = (d0 & WORD_MASK) + (m & 0x1ffffffe)
  store<u32>(z, e0 & WORD_MASK, 0)
  const e1 = (d1 & WORD_MASK) + (m & 0x1fffffff) + (e0 >> 29)
  store<u32>(z, e1 & WORD_MASK, 4)
  const e2 = (d2 & WORD_MASK) + (m & 0x1fffffff) + (e1 >> 29)
  store<u32>(z, e2 & WORD_MASK, 8)
  const e3 = (d3 & WORD_MASK) + (m & 0x3ff) + (e2 >> 29)
  store<u32>(z, e3 & WORD_MASK, 12)
  const e4 = (d4 & WORD_MASK) + (m & 0x0) + (e3 >> 29)
  store<u32>(z, e4 & WORD_MASK, 16)
  const e5 = (d5 & WORD_MASK) + (m & 0x0) + (e4 >> 29)
  store<u32>(z, e5 & WORD_MASK, 20)
  const e6 = (d6 & WORD_MASK) + (m & 0x80000) + (e5 >> 29)
  store<u32>(z, e6 & WORD_MASK, 24)
  const e7 = (d7 & WORD_MASK) + (m & 0x1fc00000) + (e6 >> 29)
  store<u32>(z, e7 & WORD_MASK, 28)
  store<u32>(z, d8 + (m & 0x1ffffff) + (e7 >> 29), 32)
}

export function subtract(z: usize, x: usize, y: usize): void {
  const d0 = word(x, 0) - word(y, 0)
  const d1 = word(x, 1) - word(y, 1) + (d0 >> 29)
  const d2 = word(x, 2) - word(y, 2) + (d1 >> 29)
  const d3 = word(x, 3) - word(y, 3) + (d2 >> 29)
  const d4 = word(x, 4) - word(y, 4) + (d3 >> 29)
  const d5 = word(x, 5) - word(y, 5) + (d4 >> 29)
  const d6 = word(x, 6) - word(y, 6) + (d5 >> 29)
  const d7 = word(x, 7) - word(y, 7) + (d6 >> 29)
  const d8 = word(x, 8) - word(y, 8) + (d7 >> 29)
  const m = d8 >> 31
  const e0 = (d0 & WORD_MASK) + (m & 0x1ffffffe)
  store<u32>(z, e0 & WORD_MASK, 0)
  const e1 = (d1 & WORD_MASK) + (m & 0x1fffffff) + (e0 >> 29)
  store<u32>(z, e1 & WORD_MASK, 4)
  const e2 = (d2 & WORD_MASK) + (m & 0x1fffffff) + (e1 >> 29)
  store<u32>(z, e2 & WORD_MASK, 8)
  const e3 = (d3 & WORD_MASK) + (m & 0x3ff) + (e2 >> 29)
  store<u32>(z, e3 & WORD_MASK, 12)
  const e4 = (d4 & WORD_MASK) + (m & 0x0) + (e3 >> 29)
  store<u32>(z, e4 & WORD_MASK, 16)
  const e5 = (d5 & WORD_MASK) + (m & 0x0) + (e4 >> 29)
  store<u32>(z, e5 & WORD_MASK, 20)
  const e6 = (d6 & WORD_MASK) + (m & 0x80000) + (e5 >> 29)
  store<u32>(z, e6 & WORD_MASK, 24)
  const e7 = (d7 & WORD_MASK) + (m & 0x1fc00000) + (e6 >> 29)
  store<u32>(z, e7 & WORD_MASK, 28)
  store<u32>(z, d8 + (m & 0x1ffffff) + (e7 >> 29), 32)
}

/** Leaves limbs below 2^30 uncarried, for one factor of a product. */
export function addLoosely(z: usize, x: usize, y: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 16) v128.store(z + i, i32x4.add(v128.load(x + i), v128.load(y + i)))
}

/** Adds four times the modulus so that no limb is negative; for one factor of a product only. */
export function subtractLoosely(z: usize, x: usize, y: usize): void {
  v128.store(z, i32x4.add(i32x4.sub(v128.load(x), v128.load(y)), i32x4(0x3ffffffc, 0x3ffffffe, 0x3ffffffe, 0x200007fe)))
  v128.store(z, i32x4.add(i32x4.sub(v128.load(x, 16), v128.load(y, 16)), i32x4(0x1fffffff, 0x1fffffff, 0x200fffff, 0x3f7fffff)), 16)
  store<i32>(z, load<i32>(x, 32) - load<i32>(y, 32) + 0x3fffffe, 32)
}

const MODULUS: usize = memory.data<u32>([0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1ff, 0x0, 0x0, 0x40000, 0x1fe00000, 0xffffff])
const SQUARED_RADIX: usize = memory.data<u32>([0xc00, 0x0, 0x1fff0000, 0x1fdfffff, 0x1fbfffff, 0x1fffffff, 0x1fffffff, 0x1ffffffe, 0x13, 0, 0, 0], 16)

export function isZero(x: usize): bool {
  let any: u32 = 0
  let other: u32 = 0
  for (let i: usize = 0; i < 36; i += 4) {
    any |= load<u32>(x + i)
    other |= load<u32>(x + i) ^ load<u32>(MODULUS + i)
  }
  return any == 0 || other == 0
}

export function copyElement(z: usize, x: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 16) v128.store(z + i, v128.load(x + i))
}

export function readLimbs(z: usize, bytes: usize): void {
  for (let i = 0; i < LIMBS; i++) {
    let limb: u64 = 0
    for (let j = 4; j >= 0; j--) {
      const at = ((29 * i) >> 3) + j
      limb = (limb << 8) | (at < 32 ? <u64>load<u8>(bytes + <usize>(31 - at)) : 0)
    }
    put(z, <usize>i, <i64>(limb >> ((29 * i) & 7)))
  }
  for (let i: usize = 36; i < ELEMENT; i += 4) store<u32>(z + i, 0)
}

/** Reads 32 big-endian bytes below the modulus. */
export function readElement(z: usize, bytes: usize): void {
  readLimbs(z, bytes)
  multiply(z, z, SQUARED_RADIX)
}
