import { Instruction } from '../encoding/instructions.ts'
import { type Limb, mapLimbs, type Word, ZERO } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

/** The count saturates at 256. */
const COUNT = 0
const VALUE = [1, 2, 3, 4].map((local): Limb => ({ kind: 'local', local })) as unknown as Word

export function writeShiftLeft(w: ValueWriter): void {
  returnIfTooFar(w, ZERO)
  const within = mapLimbs((i) => shiftedLeft(w, VALUE[i], i === 0 ? ZERO : (VALUE[i - 1] as Limb)))
  const byOne = mapLimbs((i) => choose(w, 64n, i < 1 ? ZERO : (within[i - 1] as Limb), within[i]))
  w.pushWord(mapLimbs((i) => choose(w, 128n, i < 2 ? ZERO : (byOne[i - 2] as Limb), byOne[i])))
}

export function writeShiftRight(w: ValueWriter): void {
  returnIfTooFar(w, ZERO)
  writeRight(w, ZERO, Instruction.i64ShrU)
}

export function writeShiftRightSigned(w: ValueWriter): void {
  w.push(VALUE[3])
  w.body.i64(63n)
  w.body.op(Instruction.i64ShrS)
  const sign = w.save()
  returnIfTooFar(w, sign)
  writeRight(w, sign, Instruction.i64ShrS)
}

function writeRight(w: ValueWriter, fill: Limb, topShift: Instruction): void {
  const within = mapLimbs((i) => {
    if (i < 3) return shiftedRight(w, VALUE[i + 1] as Limb, VALUE[i])
    w.push(VALUE[3])
    w.body.get(COUNT)
    w.body.op(topShift)
    return w.save()
  })
  const byOne = mapLimbs((i) => choose(w, 64n, within[i + 1] ?? fill, within[i]))
  w.pushWord(mapLimbs((i) => choose(w, 128n, byOne[i + 2] ?? fill, byOne[i])))
}

function returnIfTooFar(w: ValueWriter, fill: Limb): void {
  w.body.get(COUNT)
  w.body.i64(255n)
  w.body.op(Instruction.i64GtU)
  w.body.if()
  w.pushWord([fill, fill, fill, fill])
  w.body.op(Instruction.return)
  w.body.end()
}

/** Shifting by one bit first makes a count of zero work. */
function shiftedLeft(w: ValueWriter, limb: Limb, below: Limb): Limb {
  return joined(w, limb, Instruction.i64Shl, below, Instruction.i64ShrU)
}

function shiftedRight(w: ValueWriter, above: Limb, limb: Limb): Limb {
  return joined(w, limb, Instruction.i64ShrU, above, Instruction.i64Shl)
}

function joined(w: ValueWriter, limb: Limb, own: Instruction, neighbour: Limb, opposite: Instruction): Limb {
  w.push(limb)
  w.body.get(COUNT)
  w.body.op(own)
  w.push(neighbour)
  w.body.i64(1n)
  w.body.op(opposite)
  w.body.i64(63n)
  w.body.get(COUNT)
  w.body.i64(63n)
  w.body.op(Instruction.i64And, Instruction.i64Sub, opposite, Instruction.i64Or)
  return w.save()
}

function choose(w: ValueWriter, bit: bigint, yes: Limb, no: Limb): Limb {
  w.push(yes)
  w.push(no)
  w.body.get(COUNT)
  w.body.i64(bit)
  w.body.op(Instruction.i64And, Instruction.i32WrapI64, Instruction.select)
  return w.save()
}
