import { P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, putSigned, SIGNED_BITS, SIGNED_MASK, signedLimb } from './limbs'

/** Montgomery's product x y / R. */
export function multiply(z: usize, x: usize, y: usize): void {
  const y0 = signedLimb(y, 0), y1 = signedLimb(y, 1), y2 = signedLimb(y, 2), y3 = signedLimb(y, 3), y4 = signedLimb(y, 4), y5 = signedLimb(y, 5), y6 = signedLimb(y, 6)
  const y7 = signedLimb(y, 7), y8 = signedLimb(y, 8), y9 = signedLimb(y, 9), y10 = signedLimb(y, 10), y11 = signedLimb(y, 11), y12 = signedLimb(y, 12), y13 = signedLimb(y, 13)
  let t0: i64 = 0, t1: i64 = 0, t2: i64 = 0, t3: i64 = 0, t4: i64 = 0, t5: i64 = 0, t6: i64 = 0
  let t7: i64 = 0, t8: i64 = 0, t9: i64 = 0, t10: i64 = 0, t11: i64 = 0, t12: i64 = 0, t13: i64 = 0
  let a: i64, q: i64
  a = signedLimb(x, 0); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 1); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 2); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 3); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 4); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 5); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 6); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 7); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 8); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 9); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 10); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 11); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 12); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  a = signedLimb(x, 13); t0 += a * y0; q = (t0 * 0xffcfffd) & SIGNED_MASK
  t0 = t1 + a * y1 + q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t1 = t2 + a * y2 + q * P2; t2 = t3 + a * y3 + q * P3; t3 = t4 + a * y4 + q * P4; t4 = t5 + a * y5 + q * P5; t5 = t6 + a * y6 + q * P6; t6 = t7 + a * y7 + q * P7
  t7 = t8 + a * y8 + q * P8; t8 = t9 + a * y9 + q * P9; t9 = t10 + a * y10 + q * P10; t10 = t11 + a * y11 + q * P11; t11 = t12 + a * y12 + q * P12; t12 = t13 + a * y13 + q * P13
  t13 = 0
  putSigned(z, 0, t0); t1 += t0 >> SIGNED_BITS
  putSigned(z, 1, t1); t2 += t1 >> SIGNED_BITS
  putSigned(z, 2, t2); t3 += t2 >> SIGNED_BITS
  putSigned(z, 3, t3); t4 += t3 >> SIGNED_BITS
  putSigned(z, 4, t4); t5 += t4 >> SIGNED_BITS
  putSigned(z, 5, t5); t6 += t5 >> SIGNED_BITS
  putSigned(z, 6, t6); t7 += t6 >> SIGNED_BITS
  putSigned(z, 7, t7); t8 += t7 >> SIGNED_BITS
  putSigned(z, 8, t8); t9 += t8 >> SIGNED_BITS
  putSigned(z, 9, t9); t10 += t9 >> SIGNED_BITS
  putSigned(z, 10, t10); t11 += t10 >> SIGNED_BITS
  putSigned(z, 11, t11); t12 += t11 >> SIGNED_BITS
  putSigned(z, 12, t12); t13 += t12 >> SIGNED_BITS
  store<i32>(z, <i32>t13, 52)
}
