import { changeLimbs, invertModulo } from '../inverse/divsteps'
import { LIMB_BITS, LIMB_MASK, limb, put } from './field'

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
const COUNT: usize = 9
const ORDER: usize = memory.data<u32>([0x3c632551, 0xee72b0b, 0x3179e84f, 0x39beab69, 0x3fffffbc, 0x3fffffff, 0xfff, 0x3fffc000, 0xffff])
const ORDER_INVERSE: i64 = 0x11ff43b1
const WIDE: usize = memory.data(48, 16)

/** Inverts a plain nonzero number below the order into Montgomery form. */
export function invertScalar(z: usize, x: usize): void {
  changeLimbs(WIDE, 30, COUNT, x, 29, 9)
  invertModulo(WIDE, WIDE, ORDER, ORDER_INVERSE, COUNT)
  changeLimbs(z, 29, 9, WIDE, 30, COUNT)
  multiplyScalars(z, z, SQUARED_RADIX)
}
