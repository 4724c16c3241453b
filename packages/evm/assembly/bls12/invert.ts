import { changeLimbs, invertModulo } from '../inverse/divsteps'
import { makeCanonical } from './field'
import { multiply } from './multiply'

const COUNT: usize = 13
const MODULUS: usize = memory.data<u32>([0x3fffaaab, 0x27fbffff, 0x153ffffb, 0x2affffac, 0x30f6241e, 0x34a83da, 0x112bf673, 0x12e13ce1, 0x2cd76477, 0x1ed90d2e, 0x29a4b1ba, 0x3a8e5ff9, 0x1a0111])
const MODULUS_INVERSE: i64 = 0x30003
/** R^3, which turns the inverse of x R into the inverse of x times R. */
const CUBED_RADIX: usize = memory.data<u32>([0x1f7b890, 0x294cc4d, 0x9f3af22, 0xb5ba56c, 0xcb5c0cc, 0xc0d975c, 0xc89a8c5, 0x6c968b4, 0x22672ea, 0x91de8c9, 0x35652a6, 0x84977c8, 0x424bbb9, 0x141ab, 0, 0], 16)

const CANONICAL: usize = memory.data(64, 16)
const WIDE: usize = memory.data(64, 16)

/** Returns zero for zero; the time depends on the value. */
export function invert(z: usize, x: usize): void {
  makeCanonical(CANONICAL, x)
  changeLimbs(WIDE, 30, COUNT, CANONICAL, 28, 14)
  invertModulo(WIDE, WIDE, MODULUS, MODULUS_INVERSE, COUNT)
  changeLimbs(z, 28, 16, WIDE, 30, COUNT)
  multiply(z, z, CUBED_RADIX)
}
