import { P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, putSigned, SIGNED_BITS, SIGNED_MASK, signedLimb } from './limbs'

export function square(z: usize, x: usize): void {
  const x0 = signedLimb(x, 0), x1 = signedLimb(x, 1), x2 = signedLimb(x, 2), x3 = signedLimb(x, 3), x4 = signedLimb(x, 4), x5 = signedLimb(x, 5), x6 = signedLimb(x, 6)
  const x7 = signedLimb(x, 7), x8 = signedLimb(x, 8), x9 = signedLimb(x, 9), x10 = signedLimb(x, 10), x11 = signedLimb(x, 11), x12 = signedLimb(x, 12), x13 = signedLimb(x, 13)
  const d0 = x0 << 1, d1 = x1 << 1, d2 = x2 << 1, d3 = x3 << 1, d4 = x4 << 1, d5 = x5 << 1, d6 = x6 << 1
  const d7 = x7 << 1, d8 = x8 << 1, d9 = x9 << 1, d10 = x10 << 1, d11 = x11 << 1, d12 = x12 << 1
  let t0: i64 = x0 * x0
  let t1: i64 = d0 * x1
  let t2: i64 = d0 * x2 + x1 * x1
  let t3: i64 = d0 * x3 + d1 * x2
  let t4: i64 = d0 * x4 + d1 * x3 + x2 * x2
  let t5: i64 = d0 * x5 + d1 * x4 + d2 * x3
  let t6: i64 = d0 * x6 + d1 * x5 + d2 * x4 + x3 * x3
  let t7: i64 = d0 * x7 + d1 * x6 + d2 * x5 + d3 * x4
  let t8: i64 = d0 * x8 + d1 * x7 + d2 * x6 + d3 * x5 + x4 * x4
  let t9: i64 = d0 * x9 + d1 * x8 + d2 * x7 + d3 * x6 + d4 * x5
  let t10: i64 = d0 * x10 + d1 * x9 + d2 * x8 + d3 * x7 + d4 * x6 + x5 * x5
  let t11: i64 = d0 * x11 + d1 * x10 + d2 * x9 + d3 * x8 + d4 * x7 + d5 * x6
  let t12: i64 = d0 * x12 + d1 * x11 + d2 * x10 + d3 * x9 + d4 * x8 + d5 * x7 + x6 * x6
  let t13: i64 = d0 * x13 + d1 * x12 + d2 * x11 + d3 * x10 + d4 * x9 + d5 * x8 + d6 * x7
  let t14: i64 = d1 * x13 + d2 * x12 + d3 * x11 + d4 * x10 + d5 * x9 + d6 * x8 + x7 * x7
  let t15: i64 = d2 * x13 + d3 * x12 + d4 * x11 + d5 * x10 + d6 * x9 + d7 * x8
  let t16: i64 = d3 * x13 + d4 * x12 + d5 * x11 + d6 * x10 + d7 * x9 + x8 * x8
  let t17: i64 = d4 * x13 + d5 * x12 + d6 * x11 + d7 * x10 + d8 * x9
  let t18: i64 = d5 * x13 + d6 * x12 + d7 * x11 + d8 * x10 + x9 * x9
  let t19: i64 = d6 * x13 + d7 * x12 + d8 * x11 + d9 * x10
  let t20: i64 = d7 * x13 + d8 * x12 + d9 * x11 + x10 * x10
  let t21: i64 = d8 * x13 + d9 * x12 + d10 * x11
  let t22: i64 = d9 * x13 + d10 * x12 + x11 * x11
  let t23: i64 = d10 * x13 + d11 * x12
  let t24: i64 = d11 * x13 + x12 * x12
  let t25: i64 = d12 * x13
  let t26: i64 = x13 * x13
  let q: i64
  q = (t0 * 0xffcfffd) & SIGNED_MASK
  t1 += q * P1 + ((t0 + q * P0) >> SIGNED_BITS)
  t2 += q * P2; t3 += q * P3; t4 += q * P4; t5 += q * P5; t6 += q * P6; t7 += q * P7; t8 += q * P8
  t9 += q * P9; t10 += q * P10; t11 += q * P11; t12 += q * P12; t13 += q * P13
  q = (t1 * 0xffcfffd) & SIGNED_MASK
  t2 += q * P1 + ((t1 + q * P0) >> SIGNED_BITS)
  t3 += q * P2; t4 += q * P3; t5 += q * P4; t6 += q * P5; t7 += q * P6; t8 += q * P7; t9 += q * P8
  t10 += q * P9; t11 += q * P10; t12 += q * P11; t13 += q * P12; t14 += q * P13
  q = (t2 * 0xffcfffd) & SIGNED_MASK
  t3 += q * P1 + ((t2 + q * P0) >> SIGNED_BITS)
  t4 += q * P2; t5 += q * P3; t6 += q * P4; t7 += q * P5; t8 += q * P6; t9 += q * P7; t10 += q * P8
  t11 += q * P9; t12 += q * P10; t13 += q * P11; t14 += q * P12; t15 += q * P13
  q = (t3 * 0xffcfffd) & SIGNED_MASK
  t4 += q * P1 + ((t3 + q * P0) >> SIGNED_BITS)
  t5 += q * P2; t6 += q * P3; t7 += q * P4; t8 += q * P5; t9 += q * P6; t10 += q * P7; t11 += q * P8
  t12 += q * P9; t13 += q * P10; t14 += q * P11; t15 += q * P12; t16 += q * P13
  q = (t4 * 0xffcfffd) & SIGNED_MASK
  t5 += q * P1 + ((t4 + q * P0) >> SIGNED_BITS)
  t6 += q * P2; t7 += q * P3; t8 += q * P4; t9 += q * P5; t10 += q * P6; t11 += q * P7; t12 += q * P8
  t13 += q * P9; t14 += q * P10; t15 += q * P11; t16 += q * P12; t17 += q * P13
  q = (t5 * 0xffcfffd) & SIGNED_MASK
  t6 += q * P1 + ((t5 + q * P0) >> SIGNED_BITS)
  t7 += q * P2; t8 += q * P3; t9 += q * P4; t10 += q * P5; t11 += q * P6; t12 += q * P7; t13 += q * P8
  t14 += q * P9; t15 += q * P10; t16 += q * P11; t17 += q * P12; t18 += q * P13
  q = (t6 * 0xffcfffd) & SIGNED_MASK
  t7 += q * P1 + ((t6 + q * P0) >> SIGNED_BITS)
  t8 += q * P2; t9 += q * P3; t10 += q * P4; t11 += q * P5; t12 += q * P6; t13 += q * P7; t14 += q * P8
  t15 += q * P9; t16 += q * P10; t17 += q * P11; t18 += q * P12; t19 += q * P13
  q = (t7 * 0xffcfffd) & SIGNED_MASK
  t8 += q * P1 + ((t7 + q * P0) >> SIGNED_BITS)
  t9 += q * P2; t10 += q * P3; t11 += q * P4; t12 += q * P5; t13 += q * P6; t14 += q * P7; t15 += q * P8
  t16 += q * P9; t17 += q * P10; t18 += q * P11; t19 += q * P12; t20 += q * P13
  q = (t8 * 0xffcfffd) & SIGNED_MASK
  t9 += q * P1 + ((t8 + q * P0) >> SIGNED_BITS)
  t10 += q * P2; t11 += q * P3; t12 += q * P4; t13 += q * P5; t14 += q * P6; t15 += q * P7; t16 += q * P8
  t17 += q * P9; t18 += q * P10; t19 += q * P11; t20 += q * P12; t21 += q * P13
  q = (t9 * 0xffcfffd) & SIGNED_MASK
  t10 += q * P1 + ((t9 + q * P0) >> SIGNED_BITS)
  t11 += q * P2; t12 += q * P3; t13 += q * P4; t14 += q * P5; t15 += q * P6; t16 += q * P7; t17 += q * P8
  t18 += q * P9; t19 += q * P10; t20 += q * P11; t21 += q * P12; t22 += q * P13
  q = (t10 * 0xffcfffd) & SIGNED_MASK
  t11 += q * P1 + ((t10 + q * P0) >> SIGNED_BITS)
  t12 += q * P2; t13 += q * P3; t14 += q * P4; t15 += q * P5; t16 += q * P6; t17 += q * P7; t18 += q * P8
  t19 += q * P9; t20 += q * P10; t21 += q * P11; t22 += q * P12; t23 += q * P13
  q = (t11 * 0xffcfffd) & SIGNED_MASK
  t12 += q * P1 + ((t11 + q * P0) >> SIGNED_BITS)
  t13 += q * P2; t14 += q * P3; t15 += q * P4; t16 += q * P5; t17 += q * P6; t18 += q * P7; t19 += q * P8
  t20 += q * P9; t21 += q * P10; t22 += q * P11; t23 += q * P12; t24 += q * P13
  q = (t12 * 0xffcfffd) & SIGNED_MASK
  t13 += q * P1 + ((t12 + q * P0) >> SIGNED_BITS)
  t14 += q * P2; t15 += q * P3; t16 += q * P4; t17 += q * P5; t18 += q * P6; t19 += q * P7; t20 += q * P8
  t21 += q * P9; t22 += q * P10; t23 += q * P11; t24 += q * P12; t25 += q * P13
  q = (t13 * 0xffcfffd) & SIGNED_MASK
  t14 += q * P1 + ((t13 + q * P0) >> SIGNED_BITS)
  t15 += q * P2; t16 += q * P3; t17 += q * P4; t18 += q * P5; t19 += q * P6; t20 += q * P7; t21 += q * P8
  t22 += q * P9; t23 += q * P10; t24 += q * P11; t25 += q * P12; t26 += q * P13
  putSigned(z, 0, t14); t15 += t14 >> SIGNED_BITS
  putSigned(z, 1, t15); t16 += t15 >> SIGNED_BITS
  putSigned(z, 2, t16); t17 += t16 >> SIGNED_BITS
  putSigned(z, 3, t17); t18 += t17 >> SIGNED_BITS
  putSigned(z, 4, t18); t19 += t18 >> SIGNED_BITS
  putSigned(z, 5, t19); t20 += t19 >> SIGNED_BITS
  putSigned(z, 6, t20); t21 += t20 >> SIGNED_BITS
  putSigned(z, 7, t21); t22 += t21 >> SIGNED_BITS
  putSigned(z, 8, t22); t23 += t22 >> SIGNED_BITS
  putSigned(z, 9, t23); t24 += t23 >> SIGNED_BITS
  putSigned(z, 10, t24); t25 += t24 >> SIGNED_BITS
  putSigned(z, 11, t25); t26 += t25 >> SIGNED_BITS
  putSigned(z, 12, t26); store<u32>(z, <u32>(t26 >> SIGNED_BITS), 52)
}
