import { copyElement, ELEMENT, LIMB_BITS, LIMB_MASK, limb, put } from './field'

export function multiplyScalars(z: usize, x: usize, y: usize): void {
  const y0 = limb(y, 0), y1 = limb(y, 1), y2 = limb(y, 2), y3 = limb(y, 3), y4 = limb(y, 4)
  const y5 = limb(y, 5), y6 = limb(y, 6), y7 = limb(y, 7), y8 = limb(y, 8)
  let t0: i64 = 0, t1: i64 = 0, t2: i64 = 0, t3: i64 = 0, t4: i64 = 0, t5: i64 = 0, t6: i64 = 0, t7: i64 = 0, t8: i64 = 0
  let q: i64, a: i64
  for (let i: usize = 0; i < 9; i++) {
    a = limb(x, i)
    t0 += a * y0
    q = (t0 * 0xe00bc4f) & LIMB_MASK
    t0 = t1 + a * y1 + q * 0x1dce5617 + ((t0 + q * 0x1c632551) >> LIMB_BITS)
    t1 = t2 + a * y2 + q * 0x5e7a13c
    t2 = t3 + a * y3 + q * 0xdf55b4e
    t3 = t4 + a * y4 + q * 0x1ffffbce
    t4 = t5 + a * y5 + q * 0x1fffffff
    t5 = t6 + a * y6 + q * 0x3ffff
    t6 = t7 + a * y7 + q * 0x1fe00000
    t7 = t8 + a * y8 + q * 0xffffff
    t8 = 0
  }
  put(z, 0, t0); t1 += t0 >> LIMB_BITS
  put(z, 1, t1); t2 += t1 >> LIMB_BITS
  put(z, 2, t2); t3 += t2 >> LIMB_BITS
  put(z, 3, t3); t4 += t3 >> LIMB_BITS
  put(z, 4, t4); t5 += t4 >> LIMB_BITS
  put(z, 5, t5); t6 += t5 >> LIMB_BITS
  put(z, 6, t6); t7 += t6 >> LIMB_BITS
  put(z, 7, t7); t8 += t7 >> LIMB_BITS
  put(z, 8, t8)
}

const SQUARED_RADIX: usize = memory.data<u32>([0x148d9ef5, 0xf4e7f75, 0x14c6a651, 0x3f8b765, 0x165861f1, 0x1256d7d8, 0x1c185b23, 0xd4cab0f, 0x84b655, 0, 0, 0], 16)
const EXPONENT: usize = memory.data<u8>([0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xf, 0xb, 0xc, 0xe, 0x6, 0xf, 0xa, 0xa, 0xd, 0xa, 0x7, 0x1, 0x7, 0x9, 0xe, 0x8, 0x4, 0xf, 0x3, 0xb, 0x9, 0xc, 0xa, 0xc, 0x2, 0xf, 0xc, 0x6, 0x3, 0x2, 0x5, 0x4, 0xf])
const POWERS: usize = memory.data(16 * 48, 16)

/** Inverts a plain nonzero number into Montgomery form by Fermat's theorem. */
export function invertScalar(z: usize, x: usize): void {
  const first = POWERS + ELEMENT
  multiplyScalars(first, x, SQUARED_RADIX)
  for (let i: usize = 2; i < 16; i++) multiplyScalars(POWERS + i * ELEMENT, POWERS + (i - 1) * ELEMENT, first)
  copyElement(z, POWERS + <usize>load<u8>(EXPONENT) * ELEMENT)
  for (let i: usize = 1; i < 64; i++) {
    for (let j = 0; j < 4; j++) multiplyScalars(z, z, z)
    const digit = <usize>load<u8>(EXPONENT + i)
    if (digit != 0) multiplyScalars(z, z, POWERS + digit * ELEMENT)
  }
}
