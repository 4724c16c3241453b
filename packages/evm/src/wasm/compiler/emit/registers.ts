export const FRAME = 0
/** Address of the symbolic stack's position 0. */
export const BASE = 1
/** Up to date between blocks. */
export const SP = 2
export const STACK = 3
export const MEMORY = 4
export const MEMORY_BYTES = 5
/** Dispatch number, or pc on a bail. */
export const TARGET = 6
export const OFFSET = 7
export const FUEL = 8
/** i64, less the current segment's static gas. */
export const GAS = 9
export const VECTOR = 10
export const FIRST_POOLED = 11
