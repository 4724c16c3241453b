import { Instruction } from '../encoding/instructions.ts'
import { isZero, type Limb, mapLimbs, type Word, ZERO } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'

const LOW_HALF = 0xffffffffn

/** Modulo 2^256. */
export function multiplyWords(w: ValueWriter, a: Word, b: Word): Word {
  const columns: Limb[][] = [[], [], [], []]
  for (let i = 0; i < 4; i++) {
    for (let j = 0; i + j < 4; j++) {
      const x = a[i] as Limb
      const y = b[j] as Limb
      if (isZero(x) || isZero(y)) continue
      columns[i + j]?.push(lowProduct(w, x, y))
      if (i + j < 3) columns[i + j + 1]?.push(highProduct(w, x, y))
    }
  }
  let carry: Limb = ZERO
  return mapLimbs((column) => {
    const [sum, next] = addColumn(w, isZero(carry) ? (columns[column] as Limb[]) : [...(columns[column] as Limb[]), carry], column < 3)
    carry = next
    return sum
  })
}

function addColumn(w: ValueWriter, terms: readonly Limb[], withCarry: boolean): [Limb, Limb] {
  const [first, ...rest] = terms
  if (first === undefined) return [ZERO, ZERO]
  let sum: Limb = first
  let carry: Limb = ZERO
  for (const term of rest) {
    sum = operate(w, Instruction.i64Add, sum, term)
    if (!withCarry) continue
    w.push(sum)
    w.push(term)
    w.body.op(Instruction.i64LtU, Instruction.i64ExtendI32U)
    if (!isZero(carry)) {
      w.push(carry)
      w.body.op(Instruction.i64Add)
    }
    carry = w.save()
  }
  return [sum, carry]
}

const lowProduct = (w: ValueWriter, x: Limb, y: Limb): Limb => operate(w, Instruction.i64Mul, x, y)

function highProduct(w: ValueWriter, x: Limb, y: Limb): Limb {
  const xHigh = half(w, x, Instruction.i64ShrU)
  const xLow = half(w, x, Instruction.i64And)
  const yHigh = half(w, y, Instruction.i64ShrU)
  const yLow = half(w, y, Instruction.i64And)
  w.push(xHigh)
  w.push(yLow)
  w.body.op(Instruction.i64Mul)
  w.push(xLow)
  w.push(yLow)
  w.body.op(Instruction.i64Mul)
  w.body.i64(32n)
  w.body.op(Instruction.i64ShrU, Instruction.i64Add)
  const middle = w.save()
  w.push(xLow)
  w.push(yHigh)
  w.body.op(Instruction.i64Mul)
  w.push(half(w, middle, Instruction.i64And))
  w.body.op(Instruction.i64Add)
  w.body.i64(32n)
  w.body.op(Instruction.i64ShrU)
  w.push(xHigh)
  w.push(yHigh)
  w.body.op(Instruction.i64Mul, Instruction.i64Add)
  w.push(half(w, middle, Instruction.i64ShrU))
  w.body.op(Instruction.i64Add)
  return w.save()
}

function half(w: ValueWriter, limb: Limb, instruction: typeof Instruction.i64ShrU | typeof Instruction.i64And): Limb {
  const isHigh = instruction === Instruction.i64ShrU
  if (limb.kind === 'constant') return { kind: 'constant', value: isHigh ? limb.value >> 32n : limb.value & LOW_HALF }
  w.push(limb)
  w.body.i64(isHigh ? 32n : LOW_HALF)
  w.body.op(instruction)
  return w.save()
}

function operate(w: ValueWriter, instruction: Instruction, x: Limb, y: Limb): Limb {
  w.push(x)
  w.push(y)
  w.body.op(instruction)
  return w.save()
}
