/** Words have four little-endian limbs, unless a name says bytes. */

// @ts-ignore: decorator
@inline
export function setLimbs(at: usize, a: u64, b: u64, c: u64, d: u64): void {
  store<u64>(at, a)
  store<u64>(at, b, 8)
  store<u64>(at, c, 16)
  store<u64>(at, d, 24)
}

// @ts-ignore: decorator
@inline
export function setSmall(at: usize, value: u64): void {
  setLimbs(at, value, 0, 0, 0)
}

// @ts-ignore: decorator
@inline
export function isZero(at: usize): bool {
  return (load<u64>(at) | load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) == 0
}

// @ts-ignore: decorator
@inline
export function exceeds32(at: usize): bool {
  return ((load<u64>(at) >> 32) | load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) != 0
}

// @ts-ignore: decorator
@inline
export function clamp32(at: usize): u32 {
  return exceeds32(at) ? 0xffffffff : load<u32>(at)
}

// @ts-ignore: decorator
@inline
export function equalWords(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ==
    0
  )
}

// @ts-ignore: decorator
@inline
export function isLess(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

// @ts-ignore: decorator
@inline
export function copyWord(to: usize, from: usize): void {
  const low = v128.load(from)
  const high = v128.load(from, 16)
  v128.store(to, low)
  v128.store(to, high, 16)
}

/** Converts between limbs and big-endian bytes, also in place. */
// @ts-ignore: decorator
@inline
export function reverseWord(to: usize, from: usize): void {
  const low = v128.load(from)
  const high = v128.load(from, 16)
  v128.store(to, reverse16(high))
  v128.store(to, reverse16(low), 16)
}

// @ts-ignore: decorator
@inline
function reverse16(bytes: v128): v128 {
  return v128.shuffle<u8>(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
}

// @ts-ignore: decorator
@inline
export function addTo(at: usize, from: usize): void {
  const a0 = load<u64>(at)
  const a1 = load<u64>(at, 8)
  const a2 = load<u64>(at, 16)
  const r0 = a0 + load<u64>(from)
  const c0 = u64(r0 < a0)
  const t1 = a1 + load<u64>(from, 8)
  const r1 = t1 + c0
  const c1 = u64(t1 < a1) | u64(r1 < c0)
  const t2 = a2 + load<u64>(from, 16)
  const r2 = t2 + c1
  const c2 = u64(t2 < a2) | u64(r2 < c1)
  setLimbs(at, r0, r1, r2, load<u64>(at, 24) + load<u64>(from, 24) + c2)
}

// @ts-ignore: decorator
@inline
export function subtract(to: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const r0 = a0 - b0
  const c0 = u64(a0 < b0)
  const t1 = a1 - b1
  const r1 = t1 - c0
  const c1 = u64(a1 < b1) | u64(t1 < c0)
  const t2 = a2 - b2
  const r2 = t2 - c1
  const c2 = u64(a2 < b2) | u64(t2 < c1)
  setLimbs(to, r0, r1, r2, load<u64>(a, 24) - load<u64>(b, 24) - c2)
}

// @ts-ignore: decorator
@inline
export function copyAddress(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from))
  store<u64>(to, load<u64>(from, 8), 8)
  store<u64>(to, load<u64>(from, 16) & 0xffffffff, 16)
}

// @ts-ignore: decorator
@inline
export function setAddressWord(at: usize, address: usize): void {
  setLimbs(at, load<u64>(address), load<u64>(address, 8), load<u64>(address, 16), 0)
}
