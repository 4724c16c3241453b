/** Working space; no function here calls back while it uses its part. */
import { KECCAK_STATE_OFFSET, MATH_SCRATCH } from '../../src/wasm/layout'

const BASE: usize = MATH_SCRATCH

export const NUMERATOR: usize = BASE
export const DIVISOR: usize = BASE + 0x80
export const QUOTIENT: usize = BASE + 0xc0
export const WIDE: usize = BASE + 0x140
export const WORD_A: usize = BASE + 0x180
export const WORD_B: usize = BASE + 0x1a0
export const KECCAK_STATE: usize = BASE + KECCAK_STATE_OFFSET
export const KECCAK_OTHER: usize = BASE + 0x300
export const SHA256_STATE: usize = BASE + 0x400
export const SHA256_WORDS: usize = BASE + 0x420
export const SHA256_BLOCK: usize = BASE + 0x460

/** Up to 128 limbs, with room for a carry. */
export const LONG_ROOM: usize = 0x440
export const LONG_MODULUS: usize = BASE + 0x800
export const LONG_ODD: usize = LONG_MODULUS + LONG_ROOM
export const LONG_BASE: usize = LONG_ODD + LONG_ROOM
export const LONG_RESULT: usize = LONG_BASE + LONG_ROOM
export const LONG_ODD_RESULT: usize = LONG_RESULT + LONG_ROOM
export const LONG_INVERSE: usize = LONG_ODD_RESULT + LONG_ROOM
export const LONG_NORMALIZED: usize = LONG_INVERSE + LONG_ROOM
export const LONG_SUM: usize = LONG_NORMALIZED + LONG_ROOM
export const LONG_NUMERATOR: usize = LONG_SUM + LONG_ROOM
export const LONG_TABLE: usize = LONG_NUMERATOR + 2 * LONG_ROOM
export const BLAKE2_VECTOR: usize = BASE + 0x500
export const BLAKE2_SCHEDULE: usize = BASE + 0x8000
