import { Instruction } from '../encoding/instructions.ts'
import { constantLimb, isZero, type Limb, mapLimbs, type Word, ZERO } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

const ALL_ONES = (1n << 64n) - 1n

const isAllOnes = (limb: Limb): boolean => limb.kind === 'constant' && limb.value === ALL_ONES

export function andWords(w: ValueWriter, a: Word, b: Word): Word {
  return mapLimbs((i) => {
    if (isZero(a[i]) || isZero(b[i])) return ZERO
    if (isAllOnes(a[i])) return b[i]
    if (isAllOnes(b[i])) return a[i]
    return operate(w, Instruction.i64And, a[i], b[i], (x, y) => x & y)
  })
}

export function orWords(w: ValueWriter, a: Word, b: Word): Word {
  return mapLimbs((i) => {
    if (isZero(a[i])) return b[i]
    if (isZero(b[i])) return a[i]
    return operate(w, Instruction.i64Or, a[i], b[i], (x, y) => x | y)
  })
}

export function xorWords(w: ValueWriter, a: Word, b: Word): Word {
  return mapLimbs((i) => {
    if (isZero(a[i])) return b[i]
    if (isZero(b[i])) return a[i]
    return operate(w, Instruction.i64Xor, a[i], b[i], (x, y) => x ^ y)
  })
}

export function notWord(w: ValueWriter, a: Word): Word {
  return mapLimbs((i) => operate(w, Instruction.i64Xor, a[i], constantLimb(ALL_ONES), (x, y) => x ^ y))
}

function operate(w: ValueWriter, instruction: Instruction, x: Limb, y: Limb, fold: (x: bigint, y: bigint) => bigint): Limb {
  if (x.kind === 'constant' && y.kind === 'constant') return constantLimb(fold(x.value, y.value))
  w.push(x)
  w.push(y)
  w.body.op(instruction)
  return w.save()
}
