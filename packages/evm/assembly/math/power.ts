import { multiply } from './product'
import { WIDE } from './scratch'
import { shiftLeft } from './shift'
import { copyWord, isLimb, putWord } from './word'

const BASE = WIDE
const EXPONENT = WIDE + 0x20

export function power(base: usize, exponent: usize, out: usize): void {
  const low = load<u64>(base)
  if (low > 1 && isLimb(base) && popcnt(low) == 1) {
    powerOfTwo(ctz(low), exponent, out)
    return
  }
  copyWord(base, BASE)
  copyWord(exponent, EXPONENT)
  putWord(out, 1, 0, 0, 0)
  let limbAt: usize = EXPONENT + 24
  while (limbAt > EXPONENT && load<u64>(limbAt) == 0) limbAt -= 8
  const top = load<u64>(limbAt)
  if (top == 0) return
  copyWord(BASE, out)
  multiplyByBits(out, top, 63 - clz(top))
  while (limbAt > EXPONENT) {
    limbAt -= 8
    multiplyByBits(out, load<u64>(limbAt), 64)
  }
}

function multiplyByBits(out: usize, limb: u64, count: u64): void {
  for (let left = count; left > 0; left--) {
    multiply(out, out, out)
    if (((limb >> (left - 1)) & 1) != 0) multiply(out, BASE, out)
  }
}

function powerOfTwo(log: u64, exponent: usize, out: usize): void {
  const small = isLimb(exponent) && load<u64>(exponent) < 256
  putWord(EXPONENT, small ? log * load<u64>(exponent) : 256, 0, 0, 0)
  putWord(BASE, 1, 0, 0, 0)
  shiftLeft(EXPONENT, BASE, out)
}
