/** WebAssembly 2.0 has no 128-bit product or division. */

// @ts-ignore: decorator
@inline
export function mulHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff
  const aHigh = a >> 32
  const bLow = b & 0xffffffff
  const bHigh = b >> 32
  const middle = aHigh * bLow + ((aLow * bLow) >> 32)
  return aHigh * bHigh + (middle >> 32) + ((aLow * bHigh + (middle & 0xffffffff)) >> 32)
}

/** floor((2^128 - 1) / d) - 2^64 for d >= 2^63: Moeller and Granlund, "Improved division by invariant integers", algorithm 2. */
export function reciprocal(d: u64): u64 {
  const top40 = (d >> 24) + 1
  const start = <u64>(<u32>0x7fd00 / <u32>(d >> 55))
  const bits21 = (start << 11) - ((start * start * top40) >> 40) - 1
  const bits34 = (bits21 << 13) + ((bits21 * ((<u64>1 << 60) - bits21 * top40)) >> 47)
  const odd = d & 1
  const error = ((bits34 >> 1) & (0 - odd)) - bits34 * ((d >> 1) + odd)
  const bits65 = (bits34 << 31) + (mulHigh(bits34, error) >> 1)
  const low = bits65 * d
  return bits65 - (mulHigh(bits65, d) + d + u64(low + d < low))
}

/** floor((2^192 - 1) / (d1 * 2^64 + d0)) - 2^64 for d1 >= 2^63: same paper, algorithm 6. */
export function reciprocalOfTwo(d1: u64, d0: u64): u64 {
  let v = reciprocal(d1)
  let p = d1 * v + d0
  if (p < d0) {
    v--
    if (p >= d1) {
      v--
      p -= d1
    }
    p -= d1
  }
  const high = mulHigh(v, d0)
  const low = v * d0
  p += high
  if (p < high) {
    v--
    if (p > d1 || (p == d1 && low >= d0)) v--
  }
  return v
}
