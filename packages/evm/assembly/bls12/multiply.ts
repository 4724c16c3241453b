import { LIMB_BITS, LIMB_MASK, limb, P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, put } from './limbs'

/** Montgomery's product x y / R. */
export function multiply(z: usize, x: usize, y: usize): void {
  const y0 = limb(y, 0), y1 = limb(y, 1), y2 = limb(y, 2), y3 = limb(y, 3), y4 = limb(y, 4), y5 = limb(y, 5), y6 = limb(y, 6)
  const y7 = limb(y, 7), y8 = limb(y, 8), y9 = limb(y, 9), y10 = limb(y, 10), y11 = limb(y, 11), y12 = limb(y, 12), y13 = limb(y, 13)
  let t0: u64 = 0, t1: u64 = 0, t2: u64 = 0, t3: u64 = 0, t4: u64 = 0, t5: u64 = 0, t6: u64 = 0
  let t7: u64 = 0, t8: u64 = 0, t9: u64 = 0, t10: u64 = 0, t11: u64 = 0, t12: u64 = 0, t13: u64 = 0
  let a: u64, q: u64
  a = limb(x, 0); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 1); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 2); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 3); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 4); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 5); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 6); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 7); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 8); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 9); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 10); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 11); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 12); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = limb(x, 13); t0 += a * y0; q = (t0 * 0xffcfffd) & LIMB_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> LIMB_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  put(z, 0, t0); t1 += t0 >> LIMB_BITS
  put(z, 1, t1); t2 += t1 >> LIMB_BITS
  put(z, 2, t2); t3 += t2 >> LIMB_BITS
  put(z, 3, t3); t4 += t3 >> LIMB_BITS
  put(z, 4, t4); t5 += t4 >> LIMB_BITS
  put(z, 5, t5); t6 += t5 >> LIMB_BITS
  put(z, 6, t6); t7 += t6 >> LIMB_BITS
  put(z, 7, t7); t8 += t7 >> LIMB_BITS
  put(z, 8, t8); t9 += t8 >> LIMB_BITS
  put(z, 9, t9); t10 += t9 >> LIMB_BITS
  put(z, 10, t10); t11 += t10 >> LIMB_BITS
  put(z, 11, t11); t12 += t11 >> LIMB_BITS
  put(z, 12, t12); t13 += t12 >> LIMB_BITS
  store<u32>(z, <u32>t13, 52)
}
