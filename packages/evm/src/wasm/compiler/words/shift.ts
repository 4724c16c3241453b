import { Instruction } from '../encoding/instructions.ts'
import { isZero, type Limb, mapLimbs, type Word, ZERO } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

/** `count` is below 256. */
export function shiftLeftBy(w: ValueWriter, value: Word, count: number): Word {
  const limbs = count >> 6
  return mapLimbs((i) => joined(w, limbAt(value, i - limbs), limbAt(value, i - limbs - 1), count & 63))
}

export function shiftRightBy(w: ValueWriter, value: Word, count: number): Word {
  const limbs = count >> 6
  const bits = count & 63
  if (bits === 0) return mapLimbs((i) => limbAt(value, i + limbs))
  return mapLimbs((i) => joined(w, limbAt(value, i + limbs + 1), limbAt(value, i + limbs), 64 - bits))
}

/** `count` is below 256. */
export function shiftRightSignedBy(w: ValueWriter, value: Word, count: number): Word {
  const limbs = count >> 6
  const bits = count & 63
  const sign = signOf(w, value[3])
  const source = (i: number): Limb => (i > 3 ? sign : (value[i] as Limb))
  if (bits === 0) return mapLimbs((i) => source(i + limbs))
  return mapLimbs((i) => joined(w, source(i + limbs + 1), source(i + limbs), 64 - bits))
}

/** `index` is below 31, from the least significant byte. */
export function signExtendFrom(w: ValueWriter, value: Word, index: number): Word {
  const top = index >> 3
  const unused = BigInt(56 - 8 * (index & 7))
  w.push(value[top] as Limb)
  w.body.i64(unused)
  w.body.op(Instruction.i64Shl)
  w.body.i64(unused)
  w.body.op(Instruction.i64ShrS)
  const extended = w.save()
  const sign = top === 3 ? ZERO : signOf(w, extended)
  return mapLimbs((i) => (i < top ? value[i] : i === top ? extended : sign))
}

function signOf(w: ValueWriter, limb: Limb): Limb {
  if (isZero(limb)) return ZERO
  w.push(limb)
  w.body.i64(63n)
  w.body.op(Instruction.i64ShrS)
  return w.save()
}

const limbAt = (value: Word, index: number): Limb => value[index] ?? ZERO

/** `bits` is below 64; the top of `low` fills `high`. */
function joined(w: ValueWriter, high: Limb, low: Limb, bits: number): Limb {
  if (bits === 0) return high
  if (isZero(high) && isZero(low)) return ZERO
  if (!isZero(high)) {
    w.push(high)
    w.body.i64(BigInt(bits))
    w.body.op(Instruction.i64Shl)
  }
  if (!isZero(low)) {
    w.push(low)
    w.body.i64(BigInt(64 - bits))
    w.body.op(Instruction.i64ShrU)
  }
  if (!isZero(high) && !isZero(low)) w.body.op(Instruction.i64Or)
  return w.save()
}
