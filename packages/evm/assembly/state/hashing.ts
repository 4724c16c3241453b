/** Pair-multiply-shift with secret 64-bit seeds keeps expected chains short even for hostile keys. */
import { HASH_SEEDS } from '../../src/wasm/layout'

/** An index begins with this mask and grows when half of it is used. */
export const SMALL_INDEX_MASK: u32 = 0x3ff
export const INDEX_GROWTH_BITS: u32 = 3
export const INDEX_GROWTH_MASK: u32 = 7

// @ts-ignore: decorator
@inline
export function mix(limb: u64, index: usize): u64 {
  return (load<u64>(HASH_SEEDS + (index << 4)) + (limb >> 32)) * (load<u64>(HASH_SEEDS + (index << 4), 8) + (limb & 0xffffffff))
}

// @ts-ignore: decorator
@inline
export function topBits(sum: u64): u32 {
  return <u32>(sum >> 32)
}
