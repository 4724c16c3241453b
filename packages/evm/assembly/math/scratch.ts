/** Addresses of the working space. No function here calls back while it uses its part. */
import { MATH_SCRATCH } from '../../src/wasm/layout'

const BASE: usize = MATH_SCRATCH

/** Normalized numerator, then the remainder: nine limbs. */
export const NUMERATOR: usize = BASE
/** Normalized divisor: four limbs. */
export const DIVISOR: usize = BASE + 0x80
export const QUOTIENT: usize = BASE + 0xc0
/** A product of two words, or a sum of two with its carry: eight limbs. */
export const WIDE: usize = BASE + 0x140
export const WORD_A: usize = BASE + 0x180
export const WORD_B: usize = BASE + 0x1a0
/** Keccak-f alternates between two states of 25 lanes. */
export const KECCAK_STATE: usize = BASE + 0x200
export const KECCAK_OTHER: usize = BASE + 0x300
