import { P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, putSigned, SIGNED_BITS, SIGNED_MASK } from './limbs'

/** Montgomery reduction of columns whose sum is from -p R / 2 to p R / 2. */
export function reduce(z: usize, columns: usize): void {
  let t0 = load<i64>(columns, 0), t1 = load<i64>(columns, 8), t2 = load<i64>(columns, 16)
  let t3 = load<i64>(columns, 24), t4 = load<i64>(columns, 32), t5 = load<i64>(columns, 40)
  let t6 = load<i64>(columns, 48), t7 = load<i64>(columns, 56), t8 = load<i64>(columns, 64)
  let t9 = load<i64>(columns, 72), t10 = load<i64>(columns, 80), t11 = load<i64>(columns, 88)
  let t12 = load<i64>(columns, 96), t13 = load<i64>(columns, 104), t14 = load<i64>(columns, 112)
  let t15 = load<i64>(columns, 120), t16 = load<i64>(columns, 128), t17 = load<i64>(columns, 136)
  let t18 = load<i64>(columns, 144), t19 = load<i64>(columns, 152), t20 = load<i64>(columns, 160)
  let t21 = load<i64>(columns, 168), t22 = load<i64>(columns, 176), t23 = load<i64>(columns, 184)
  let t24 = load<i64>(columns, 192), t25 = load<i64>(columns, 200), t26 = load<i64>(columns, 208)
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

export const MODULUS: usize = memory.data<u32>([0xfffaaab, 0xfefffff, 0x3ffffb9, 0xfffeb15, 0x6241eab, 0xa0f6b0f, 0xf6730d2, 0xf38512b, 0x4774b84, 0x4bacd76, 0xba7b643, 0xe69a4b1, 0x1ea397f, 0x1a011, 0, 0], 16)
