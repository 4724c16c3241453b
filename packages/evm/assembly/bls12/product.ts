/** Leaves 27 columns of 64 bits uncarried and unreduced. Vectors are free while scalar units reduce another product. */
export function product(columns: usize, x: usize, y: usize): void {
  const y0 = v128.load(y), y1 = v128.load(y, 16), y2 = v128.load(y, 32), y3 = v128.load(y, 48)
  let t0 = i64x2(0, 0), t1 = t0, t2 = t0, t3 = t0, t4 = t0, t5 = t0
  // Even limbs of x: two columns a vector.
  for (let i: usize = 0; i < 56; i += 8) {
    const factor = v128.load32_splat(x + i)
    v128.store(columns + 2 * i, i64x2.add(t0, i64x2.extmul_low_i32x4_s(factor, y0)))
    t0 = i64x2.add(t1, i64x2.extmul_high_i32x4_s(factor, y0))
    t1 = i64x2.add(t2, i64x2.extmul_low_i32x4_s(factor, y1))
    t2 = i64x2.add(t3, i64x2.extmul_high_i32x4_s(factor, y1))
    t3 = i64x2.add(t4, i64x2.extmul_low_i32x4_s(factor, y2))
    t4 = i64x2.add(t5, i64x2.extmul_high_i32x4_s(factor, y2))
    t5 = i64x2.extmul_low_i32x4_s(factor, y3)
  }
  v128.store(columns, t0, 112)
  v128.store(columns, t1, 128)
  v128.store(columns, t2, 144)
  v128.store(columns, t3, 160)
  v128.store(columns, t4, 176)
  v128.store(columns, t5, 192)
  t0 = t1 = t2 = t3 = t4 = t5 = i64x2(0, 0)
  let before = t0
  // Odd limbs: one column further.
  for (let i: usize = 4; i < 56; i += 8) {
    const factor = v128.load32_splat(x + i)
    const done = i64x2.add(t0, i64x2.extmul_low_i32x4_s(factor, y0))
    addShifted(columns + 2 * i - 8, before, done)
    before = done
    t0 = i64x2.add(t1, i64x2.extmul_high_i32x4_s(factor, y0))
    t1 = i64x2.add(t2, i64x2.extmul_low_i32x4_s(factor, y1))
    t2 = i64x2.add(t3, i64x2.extmul_high_i32x4_s(factor, y1))
    t3 = i64x2.add(t4, i64x2.extmul_low_i32x4_s(factor, y2))
    t4 = i64x2.add(t5, i64x2.extmul_high_i32x4_s(factor, y2))
    t5 = i64x2.extmul_low_i32x4_s(factor, y3)
  }
  addShifted(columns + 112, before, t0)
  addShifted(columns + 128, t0, t1)
  addShifted(columns + 144, t1, t2)
  addShifted(columns + 160, t2, t3)
  addShifted(columns + 176, t3, t4)
  addShifted(columns + 192, t4, t5)
  v128.store(columns, v128.shuffle<i64>(t5, i64x2(0, 0), 1, 2), 208)
}

// @ts-ignore: decorator
@inline
function addShifted(columns: usize, before: v128, after: v128): void {
  v128.store(columns, i64x2.add(v128.load(columns), v128.shuffle<i64>(before, after, 1, 2)))
}
