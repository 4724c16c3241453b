import { Instruction } from '../encoding/instructions.ts'
import { isZero, type Limb, type Word } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

/** Modulo 2^256. */
export function addWords(w: ValueWriter, a: Word, b: Word): Word {
  const sum: Limb[] = []
  let carry: Limb | null = null
  for (let i = 0; i < 4; i++) {
    const last = i === 3
    const [x, y] = isZero(a[i] as Limb) ? [b[i] as Limb, a[i] as Limb] : [a[i] as Limb, b[i] as Limb]
    if (isZero(y)) {
      if (carry === null) sum.push(x)
      else if (isZero(x)) {
        sum.push(carry)
        carry = null
      } else {
        const total = combine(w, Instruction.i64Add, x, carry)
        sum.push(total)
        carry = last ? null : saveComparison(w, Instruction.i64LtU, total, carry)
      }
      continue
    }
    const partial = combine(w, Instruction.i64Add, x, y)
    const total: Limb = carry === null ? partial : combine(w, Instruction.i64Add, partial, carry)
    sum.push(total)
    if (last) break
    pushComparison(w, Instruction.i64LtU, partial, y)
    if (carry !== null) {
      pushComparison(w, Instruction.i64LtU, total, carry)
      w.body.op(Instruction.i32Or)
    }
    carry = saveExtended(w)
  }
  return sum as unknown as Word
}

export function subtractWords(w: ValueWriter, a: Word, b: Word): Word {
  const difference: Limb[] = []
  let borrow: Limb | null = null
  for (let i = 0; i < 4; i++) {
    const last = i === 3
    const x = a[i] as Limb
    const y = b[i] as Limb
    if (isZero(y)) {
      if (borrow === null) difference.push(x)
      else {
        difference.push(combine(w, Instruction.i64Sub, x, borrow))
        borrow = last ? null : saveComparison(w, Instruction.i64LtU, x, borrow)
      }
      continue
    }
    const partial = combine(w, Instruction.i64Sub, x, y)
    difference.push(borrow === null ? partial : combine(w, Instruction.i64Sub, partial, borrow))
    if (last) break
    pushComparison(w, Instruction.i64LtU, x, y)
    if (borrow !== null) {
      pushComparison(w, Instruction.i64LtU, partial, borrow)
      w.body.op(Instruction.i32Or)
    }
    borrow = saveExtended(w)
  }
  return difference as unknown as Word
}

function combine(w: ValueWriter, instruction: Instruction, x: Limb, y: Limb): Limb {
  w.push(x)
  w.push(y)
  w.body.op(instruction)
  return w.save()
}

function pushComparison(w: ValueWriter, instruction: Instruction, x: Limb, y: Limb): void {
  w.push(x)
  w.push(y)
  w.body.op(instruction)
}

function saveComparison(w: ValueWriter, instruction: Instruction, x: Limb, y: Limb): Limb {
  pushComparison(w, instruction, x, y)
  return saveExtended(w)
}

function saveExtended(w: ValueWriter): Limb {
  w.body.op(Instruction.i64ExtendI32U)
  return w.save()
}
