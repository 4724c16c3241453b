import { isLimb, putWord } from './word'

// @ts-ignore: decorator
@inline
function amount(shift: usize): u64 {
  const low = load<u64>(shift)
  return isLimb(shift) && low < 256 ? low : 256
}

export function shiftLeft(shift: usize, value: usize, out: usize): void {
  const by = amount(shift)
  const v0 = load<u64>(value)
  const v1 = load<u64>(value, 8)
  const v2 = load<u64>(value, 16)
  const v3 = load<u64>(value, 24)
  const bits = by & 63
  const down = 63 - bits
  const limb0 = v0 << bits
  const limb1 = (v1 << bits) | ((v0 >> 1) >> down)
  const limb2 = (v2 << bits) | ((v1 >> 1) >> down)
  const limb3 = (v3 << bits) | ((v2 >> 1) >> down)
  switch (<u32>(by >> 6)) {
    case 0:
      putWord(out, limb0, limb1, limb2, limb3)
      break
    case 1:
      putWord(out, 0, limb0, limb1, limb2)
      break
    case 2:
      putWord(out, 0, 0, limb0, limb1)
      break
    case 3:
      putWord(out, 0, 0, 0, limb0)
      break
    default:
      putWord(out, 0, 0, 0, 0)
  }
}

export function shiftRight(shift: usize, value: usize, out: usize): void {
  shiftDown(amount(shift), value, 0, out)
}

export function shiftRightSigned(shift: usize, value: usize, out: usize): void {
  shiftDown(amount(shift), value, <u64>(load<i64>(value, 24) >> 63), out)
}

// @ts-ignore: decorator
@inline
function shiftDown(by: u64, value: usize, fill: u64, out: usize): void {
  const v0 = load<u64>(value)
  const v1 = load<u64>(value, 8)
  const v2 = load<u64>(value, 16)
  const v3 = load<u64>(value, 24)
  const bits = by & 63
  const up = 63 - bits
  const limb0 = (v0 >> bits) | ((v1 << 1) << up)
  const limb1 = (v1 >> bits) | ((v2 << 1) << up)
  const limb2 = (v2 >> bits) | ((v3 << 1) << up)
  const limb3 = (v3 >> bits) | ((fill << 1) << up)
  switch (<u32>(by >> 6)) {
    case 0:
      putWord(out, limb0, limb1, limb2, limb3)
      break
    case 1:
      putWord(out, limb1, limb2, limb3, fill)
      break
    case 2:
      putWord(out, limb2, limb3, fill, fill)
      break
    case 3:
      putWord(out, limb3, fill, fill, fill)
      break
    default:
      putWord(out, fill, fill, fill, fill)
  }
}

/** The index counts from the most significant byte. */
// @ts-ignore: decorator
@inline
export function byteAt(index: usize, value: usize, out: usize): void {
  const at = load<u64>(index)
  const inside = isLimb(index) && at < 32
  putWord(out, inside ? <u64>load<u8>(value + (31 - <usize>at)) : 0, 0, 0, 0)
}

export function signExtend(index: usize, value: usize, out: usize): void {
  const at = load<u64>(index)
  let v0 = load<u64>(value)
  let v1 = load<u64>(value, 8)
  let v2 = load<u64>(value, 16)
  let v3 = load<u64>(value, 24)
  if (isLimb(index) && at < 31) {
    const drop = 56 - ((at & 7) << 3)
    const limb = load<i64>(value + (<usize>at & 0x18))
    const extended = <u64>((limb << drop) >> drop)
    const fill = <u64>(<i64>extended >> 63)
    const position = at >> 3
    v3 = position == 3 ? extended : fill
    if (position == 2) v2 = extended
    else if (position < 2) v2 = fill
    if (position == 1) v1 = extended
    else if (position < 1) v1 = fill
    if (position == 0) v0 = extended
  }
  putWord(out, v0, v1, v2, v3)
}

export function countLeadingZeros(value: usize, out: usize): void {
  const v1 = load<u64>(value, 8)
  const v2 = load<u64>(value, 16)
  const v3 = load<u64>(value, 24)
  let count = clz(v3)
  if (v3 == 0) count = 64 + clz(v2)
  if ((v3 | v2) == 0) count = 128 + clz(v1)
  if ((v3 | v2 | v1) == 0) count = 192 + clz(load<u64>(value))
  putWord(out, count, 0, 0, 0)
}
