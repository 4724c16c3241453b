/** Moduli 2^256 - c with c < 2^64, among them secp256k1's prime and the 2^256 - 1 of full-width multiplications. */
import { WIDE } from './scratch'
import { mulHigh } from './wide'
import { addProduct } from './wide-product'
import { putWord } from './word'

/** Returns c, or zero for another modulus. */
// @ts-ignore: decorator
@inline
export function belowPower(m: usize): u64 {
  return (load<u64>(m, 8) & load<u64>(m, 16) & load<u64>(m, 24)) == u64.MAX_VALUE ? 0 - load<u64>(m) : 0
}

/** 2^256 is congruent to c, so the upper half of WIDE counts c times. */
export function reduceByComplement(c: u64, out: usize): void {
  const top = addProduct(c, WIDE + 32, WIDE)
  const low = top * c
  const sum0 = load<u64>(WIDE) + low
  const high = mulHigh(top, c) + u64(sum0 < low)
  const sum1 = load<u64>(WIDE, 8) + high
  const carry1 = u64(sum1 < high)
  const sum2 = load<u64>(WIDE, 16) + carry1
  const carry2 = u64(sum2 < carry1)
  const sum3 = load<u64>(WIDE, 24) + carry2
  const overflows = u64(sum3 < carry2)
  // Adding c subtracts the modulus when the sum is at least the modulus, which the carry shows.
  const more0 = sum0 + c
  const more1 = sum1 + u64(more0 < c)
  const more2 = sum2 + u64(more1 < sum1)
  const more3 = sum3 + u64(more2 < sum2)
  if ((overflows | u64(more3 < sum3)) != 0) putWord(out, more0, more1, more2, more3)
  else putWord(out, sum0, sum1, sum2, sum3)
}
