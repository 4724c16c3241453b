import { limb } from './limbs'

/** The product in 27 columns of 64 bits, neither carried nor reduced. */
export function product(columns: usize, x: usize, y: usize): void {
  const x0 = limb(x, 0), x1 = limb(x, 1), x2 = limb(x, 2), x3 = limb(x, 3), x4 = limb(x, 4)
  const x5 = limb(x, 5), x6 = limb(x, 6), x7 = limb(x, 7), x8 = limb(x, 8), x9 = limb(x, 9)
  const x10 = limb(x, 10), x11 = limb(x, 11), x12 = limb(x, 12), x13 = limb(x, 13)
  const y0 = limb(y, 0), y1 = limb(y, 1), y2 = limb(y, 2), y3 = limb(y, 3), y4 = limb(y, 4)
  const y5 = limb(y, 5), y6 = limb(y, 6), y7 = limb(y, 7), y8 = limb(y, 8), y9 = limb(y, 9)
  const y10 = limb(y, 10), y11 = limb(y, 11), y12 = limb(y, 12), y13 = limb(y, 13)
  store<u64>(columns, x0 * y0, 0)
  store<u64>(columns, x0 * y1 + x1 * y0, 8)
  store<u64>(columns, x0 * y2 + x1 * y1 + x2 * y0, 16)
  store<u64>(columns, x0 * y3 + x1 * y2 + x2 * y1 + x3 * y0, 24)
  store<u64>(columns, x0 * y4 + x1 * y3 + x2 * y2 + x3 * y1 + x4 * y0, 32)
  store<u64>(columns, x0 * y5 + x1 * y4 + x2 * y3 + x3 * y2 + x4 * y1 + x5 * y0, 40)
  store<u64>(columns, x0 * y6 + x1 * y5 + x2 * y4 + x3 * y3 + x4 * y2 + x5 * y1 + x6 * y0, 48)
  store<u64>(columns, x0 * y7 + x1 * y6 + x2 * y5 + x3 * y4 + x4 * y3 + x5 * y2 + x6 * y1 + x7 * y0, 56)
  store<u64>(columns, x0 * y8 + x1 * y7 + x2 * y6 + x3 * y5 + x4 * y4 + x5 * y3 + x6 * y2 + x7 * y1 + x8 * y0, 64)
  store<u64>(columns, x0 * y9 + x1 * y8 + x2 * y7 + x3 * y6 + x4 * y5 + x5 * y4 + x6 * y3 + x7 * y2 + x8 * y1 +
    x9 * y0, 72)
  store<u64>(columns, x0 * y10 + x1 * y9 + x2 * y8 + x3 * y7 + x4 * y6 + x5 * y5 + x6 * y4 + x7 * y3 + x8 * y2 + x9 * y1 +
    x10 * y0, 80)
  store<u64>(columns, x0 * y11 + x1 * y10 + x2 * y9 + x3 * y8 + x4 * y7 + x5 * y6 + x6 * y5 + x7 * y4 + x8 * y3 +
    x9 * y2 + x10 * y1 + x11 * y0, 88)
  store<u64>(columns, x0 * y12 + x1 * y11 + x2 * y10 + x3 * y9 + x4 * y8 + x5 * y7 + x6 * y6 + x7 * y5 + x8 * y4 +
    x9 * y3 + x10 * y2 + x11 * y1 + x12 * y0, 96)
  store<u64>(columns, x0 * y13 + x1 * y12 + x2 * y11 + x3 * y10 + x4 * y9 + x5 * y8 + x6 * y7 + x7 * y6 + x8 * y5 +
    x9 * y4 + x10 * y3 + x11 * y2 + x12 * y1 + x13 * y0, 104)
  store<u64>(columns, x1 * y13 + x2 * y12 + x3 * y11 + x4 * y10 + x5 * y9 + x6 * y8 + x7 * y7 + x8 * y6 + x9 * y5 +
    x10 * y4 + x11 * y3 + x12 * y2 + x13 * y1, 112)
  store<u64>(columns, x2 * y13 + x3 * y12 + x4 * y11 + x5 * y10 + x6 * y9 + x7 * y8 + x8 * y7 + x9 * y6 + x10 * y5 +
    x11 * y4 + x12 * y3 + x13 * y2, 120)
  store<u64>(columns, x3 * y13 + x4 * y12 + x5 * y11 + x6 * y10 + x7 * y9 + x8 * y8 + x9 * y7 + x10 * y6 + x11 * y5 +
    x12 * y4 + x13 * y3, 128)
  store<u64>(columns, x4 * y13 + x5 * y12 + x6 * y11 + x7 * y10 + x8 * y9 + x9 * y8 + x10 * y7 + x11 * y6 + x12 * y5 +
    x13 * y4, 136)
  store<u64>(columns, x5 * y13 + x6 * y12 + x7 * y11 + x8 * y10 + x9 * y9 + x10 * y8 + x11 * y7 + x12 * y6 +
    x13 * y5, 144)
  store<u64>(columns, x6 * y13 + x7 * y12 + x8 * y11 + x9 * y10 + x10 * y9 + x11 * y8 + x12 * y7 + x13 * y6, 152)
  store<u64>(columns, x7 * y13 + x8 * y12 + x9 * y11 + x10 * y10 + x11 * y9 + x12 * y8 + x13 * y7, 160)
  store<u64>(columns, x8 * y13 + x9 * y12 + x10 * y11 + x11 * y10 + x12 * y9 + x13 * y8, 168)
  store<u64>(columns, x9 * y13 + x10 * y12 + x11 * y11 + x12 * y10 + x13 * y9, 176)
  store<u64>(columns, x10 * y13 + x11 * y12 + x12 * y11 + x13 * y10, 184)
  store<u64>(columns, x11 * y13 + x12 * y12 + x13 * y11, 192)
  store<u64>(columns, x12 * y13 + x13 * y12, 200)
  store<u64>(columns, x13 * y13, 208)
}
