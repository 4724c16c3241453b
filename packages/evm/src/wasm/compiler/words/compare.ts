import { Instruction } from '../encoding/instructions.ts'
import { isZero, type Limb, type Word } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'
import { xorWords } from './bitwise.ts'

export function lessThan(w: ValueWriter, a: Word, b: Word): Word {
  return compare(w, a, b, false)
}

export function signedLessThan(w: ValueWriter, a: Word, b: Word): Word {
  return compare(w, a, b, !(isZero(a[3]) && isZero(b[3])))
}

export function equalWords(w: ValueWriter, a: Word, b: Word): Word {
  w.pushIsZero(xorWords(w, a, b))
  return w.saveFlag()
}

function compare(w: ValueWriter, a: Word, b: Word, isSigned: boolean): Word {
  let isFirst = true
  for (let i = 0; i < 4; i++) {
    const x = a[i] as Limb
    const y = b[i] as Limb
    if (isZero(x) && isZero(y)) continue
    if (!isFirst) {
      w.push(x)
      w.push(y)
      w.body.op(Instruction.i64Eq, Instruction.i32And)
    }
    w.push(x)
    w.push(y)
    w.body.op(isSigned && i === 3 ? Instruction.i64LtS : Instruction.i64LtU)
    if (!isFirst) w.body.op(Instruction.i32Or)
    isFirst = false
  }
  if (isFirst) w.body.i32(0)
  return w.saveFlag()
}
