/**
 * Hashes of table keys, which strangers choose. Multiplication of 32-bit halves with secret 64-bit seeds (pair-multiply-shift) keeps
 * the expected chain short for whatever keys they choose.
 */
import { HASH_SEEDS } from '../../src/wasm/layout'

// @ts-ignore: decorator
@inline
export function mix(limb: u64, index: usize): u64 {
  return (load<u64>(HASH_SEEDS + (index << 4)) + (limb >> 32)) * (load<u64>(HASH_SEEDS + (index << 4), 8) + (limb & 0xffffffff))
}

/** The best bits of a sum of `mix` values. */
// @ts-ignore: decorator
@inline
export function topBits(sum: u64): u32 {
  return <u32>(sum >> 32)
}
