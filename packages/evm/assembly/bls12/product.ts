import { limb } from './limbs'

/** Leaves 27 columns of 64 bits uncarried and unreduced. */
export function product(columns: usize, x: usize, y: usize): void {
  const y0 = limb(y, 0), y1 = limb(y, 1), y2 = limb(y, 2), y3 = limb(y, 3), y4 = limb(y, 4), y5 = limb(y, 5), y6 = limb(y, 6)
  const y7 = limb(y, 7), y8 = limb(y, 8), y9 = limb(y, 9), y10 = limb(y, 10), y11 = limb(y, 11), y12 = limb(y, 12), y13 = limb(y, 13)
  let t0: u64 = 0, t1: u64 = 0, t2: u64 = 0, t3: u64 = 0, t4: u64 = 0, t5: u64 = 0, t6: u64 = 0
  let t7: u64 = 0, t8: u64 = 0, t9: u64 = 0, t10: u64 = 0, t11: u64 = 0, t12: u64 = 0, t13: u64 = 0
  let a: u64
  a = limb(x, 0); store<u64>(columns, t0 + a * y0, 0)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 1); store<u64>(columns, t0 + a * y0, 8)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 2); store<u64>(columns, t0 + a * y0, 16)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 3); store<u64>(columns, t0 + a * y0, 24)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 4); store<u64>(columns, t0 + a * y0, 32)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 5); store<u64>(columns, t0 + a * y0, 40)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 6); store<u64>(columns, t0 + a * y0, 48)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 7); store<u64>(columns, t0 + a * y0, 56)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 8); store<u64>(columns, t0 + a * y0, 64)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 9); store<u64>(columns, t0 + a * y0, 72)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 10); store<u64>(columns, t0 + a * y0, 80)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 11); store<u64>(columns, t0 + a * y0, 88)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 12); store<u64>(columns, t0 + a * y0, 96)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  a = limb(x, 13); store<u64>(columns, t0 + a * y0, 104)
  t0 = t1 + a * y1; t1 = t2 + a * y2; t2 = t3 + a * y3; t3 = t4 + a * y4; t4 = t5 + a * y5; t5 = t6 + a * y6; t6 = t7 + a * y7
  t7 = t8 + a * y8; t8 = t9 + a * y9; t9 = t10 + a * y10; t10 = t11 + a * y11; t11 = t12 + a * y12; t12 = t13 + a * y13
  t13 = 0
  store<u64>(columns, t0, 112)
  store<u64>(columns, t1, 120)
  store<u64>(columns, t2, 128)
  store<u64>(columns, t3, 136)
  store<u64>(columns, t4, 144)
  store<u64>(columns, t5, 152)
  store<u64>(columns, t6, 160)
  store<u64>(columns, t7, 168)
  store<u64>(columns, t8, 176)
  store<u64>(columns, t9, 184)
  store<u64>(columns, t10, 192)
  store<u64>(columns, t11, 200)
  store<u64>(columns, t12, 208)
}
