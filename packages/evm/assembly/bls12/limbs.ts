/**
 * The field of BLS12-381: fourteen signed limbs of 28 bits in Montgomery form with R = 2^392. Columns of 64 bits hold products
 * of uncarried sums of two elements.
 */
export const LIMBS: usize = 14
export const LIMB_BITS: u64 = 28
export const LIMB_MASK: u64 = 0xfffffff
export const SIGNED_BITS: i64 = 28
export const SIGNED_MASK: i64 = 0xfffffff
export const WORD_MASK: i32 = 0xfffffff
/** Sixteen words, so that four vectors hold an element. */
export const ELEMENT: usize = 64

export const P0 = 0xfffaaab
export const P1 = 0xfefffff
export const P2 = 0x3ffffb9
export const P3 = 0xfffeb15
export const P4 = 0x6241eab
export const P5 = 0xa0f6b0f
export const P6 = 0xf6730d2
export const P7 = 0xf38512b
export const P8 = 0x4774b84
export const P9 = 0x4bacd76
export const P10 = 0xba7b643
export const P11 = 0xe69a4b1
export const P12 = 0x1ea397f
export const P13 = 0x1a011

// @ts-ignore: decorator
@inline
export function limb(x: usize, i: usize): u64 {
  return load<u32>(x + (i << 2))
}

// @ts-ignore: decorator
@inline
export function signedLimb(x: usize, i: usize): i64 {
  return <i64>load<i32>(x + (i << 2))
}

// @ts-ignore: decorator
@inline
export function put(z: usize, i: usize, value: u64): void {
  store<u32>(z + (i << 2), <u32>(value & LIMB_MASK))
}

// @ts-ignore: decorator
@inline
export function putSigned(z: usize, i: usize, value: i64): void {
  store<u32>(z + (i << 2), <u32>(value & SIGNED_MASK))
}
