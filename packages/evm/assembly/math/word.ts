/** Words have four little-endian 64-bit limbs; a result may overwrite an operand. */

// @ts-ignore: decorator
@inline
export function putWord(at: usize, limb0: u64, limb1: u64, limb2: u64, limb3: u64): void {
  store<u64>(at, limb0)
  store<u64>(at, limb1, 8)
  store<u64>(at, limb2, 16)
  store<u64>(at, limb3, 24)
}

// @ts-ignore: decorator
@inline
export function copyWord(from: usize, to: usize): void {
  const low = v128.load(from)
  const high = v128.load(from, 16)
  v128.store(to, low)
  v128.store(to, high, 16)
}

// @ts-ignore: decorator
@inline
export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

// @ts-ignore: decorator
@inline
export function isLimb(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0
}

// @ts-ignore: decorator
@inline
export function equal(a: usize, b: usize): bool {
  const difference0 = (load<u64>(a) ^ load<u64>(b)) | (load<u64>(a, 8) ^ load<u64>(b, 8))
  const difference1 = (load<u64>(a, 16) ^ load<u64>(b, 16)) | (load<u64>(a, 24) ^ load<u64>(b, 24))
  return (difference0 | difference1) == 0
}

// @ts-ignore: decorator
@inline
export function lessThan(a: usize, b: usize): bool {
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  const less0 = u32(load<u64>(a) < load<u64>(b))
  const less1 = u32(a1 < b1) | (u32(a1 == b1) & less0)
  const less2 = u32(a2 < b2) | (u32(a2 == b2) & less1)
  return <bool>(u32(a3 < b3) | (u32(a3 == b3) & less2))
}

// @ts-ignore: decorator
@inline
export function signedLessThan(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24)
  const b3 = load<i64>(b, 24)
  return a3 == b3 ? lessThan(a, b) : a3 < b3
}

// @ts-ignore: decorator
@inline
export function limbCount(a: usize): i32 {
  if (load<u64>(a, 24) != 0) return 4
  if (load<u64>(a, 16) != 0) return 3
  if (load<u64>(a, 8) != 0) return 2
  return i32(load<u64>(a) != 0)
}

// @ts-ignore: decorator
@inline
export function negate(a: usize, out: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const borrow0 = u64(a0 != 0)
  const borrow1 = u64((a0 | a1) != 0)
  const borrow2 = u64((a0 | a1 | a2) != 0)
  putWord(out, 0 - a0, 0 - a1 - borrow0, 0 - a2 - borrow1, 0 - load<u64>(a, 24) - borrow2)
}
