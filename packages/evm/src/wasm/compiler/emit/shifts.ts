import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import type { SubroutineName } from '../subroutines/subroutines.ts'
import { constantOf, constantWord, isNarrow, type Limb, narrowWord, type Word, ZERO_WORD } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'
import { shiftLeftBy, shiftRightBy, shiftRightSignedBy, signExtendFrom } from '../words/shift.ts'
import type { BlockEmitter } from './block-emitter.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { callSubroutine } from './pure.ts'

interface Shift {
  readonly byConstant: (w: ValueWriter, value: Word, count: number) => Word
  readonly fold: (value: bigint, count: bigint) => bigint
  readonly subroutine: SubroutineName
  readonly isSigned: boolean
}

function shift({ byConstant, fold, subroutine, isSigned }: Shift): OperationEmitter {
  return (e) => {
    const count = e.stack.pop()
    const value = e.stack.pop()
    const constantCount = constantOf(count)
    const constantValue = constantOf(value)
    if (constantCount === null) {
      e.stack.push(byVariable(e, subroutine, count, value))
      return
    }
    const far = constantCount > 255n
    const bits = far ? 255 : Number(constantCount)
    if (constantValue !== null) e.stack.push(constantWord(far && !isSigned ? 0n : fold(constantValue, BigInt(bits))))
    else e.stack.push(far && !isSigned ? ZERO_WORD : byConstant(e.values, value, bits))
  }
}

function byVariable(e: BlockEmitter, subroutine: SubroutineName, count: Word, value: Word): Word {
  return callSubroutine(e, subroutine, () => {
    pushSaturated(e.values, count)
    e.values.pushWord(value)
  })
}

/** 256 when the word exceeds a limb. */
function pushSaturated(w: ValueWriter, word: Word): void {
  w.push(word[0])
  if (isNarrow(word)) return
  w.body.i64(256n)
  w.pushUnion(word.slice(1))
  w.body.op(Instruction.i64Eqz, Instruction.select)
}

/** `index` counts from the least significant byte. */
function distanceToTop(w: ValueWriter, index: Word, bound: bigint, otherwise: bigint): Limb {
  pushSaturated(w, index)
  const low = w.save()
  w.body.i64(248n)
  w.push(low)
  w.body.i64(3n)
  w.body.op(Instruction.i64Shl, Instruction.i64Sub)
  w.body.i64(otherwise)
  w.push(low)
  w.body.i64(bound)
  w.body.op(Instruction.i64LtU, Instruction.select)
  return w.save()
}

const byte: OperationEmitter = (e) => {
  const index = e.stack.pop()
  const value = e.stack.pop()
  const constantIndex = constantOf(index)
  if (constantIndex !== null && constantIndex > 31n) return e.stack.push(ZERO_WORD)
  const moved =
    constantIndex === null
      ? byVariable(e, 'shiftRight', narrowWord(distanceToTop(e.values, index, 32n, 256n)), value)
      : shiftRightBy(e.values, value, 248 - 8 * Number(constantIndex))
  e.values.push(moved[0])
  e.body.i64(0xffn)
  e.body.op(Instruction.i64And)
  e.stack.push(narrowWord(e.values.save()))
}

const signExtend: OperationEmitter = (e) => {
  const index = e.stack.pop()
  const value = e.stack.pop()
  const constantIndex = constantOf(index)
  if (constantIndex !== null) {
    e.stack.push(constantIndex > 30n ? value : signExtendFrom(e.values, value, Number(constantIndex)))
    return
  }
  const distance = narrowWord(distanceToTop(e.values, index, 31n, 0n))
  e.stack.push(byVariable(e, 'shiftRightSigned', distance, byVariable(e, 'shiftLeft', distance, value)))
}

const signed = (value: bigint): bigint => BigInt.asIntN(256, value)

export const SHIFT_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.SHL, shift({ byConstant: shiftLeftBy, fold: (v, n) => v << n, subroutine: 'shiftLeft', isSigned: false })],
  [op.SHR, shift({ byConstant: shiftRightBy, fold: (v, n) => v >> n, subroutine: 'shiftRight', isSigned: false })],
  [op.SAR, shift({ byConstant: shiftRightSignedBy, fold: (v, n) => signed(v) >> n, subroutine: 'shiftRightSigned', isSigned: true })],
  [op.BYTE, byte],
  [op.SIGNEXTEND, signExtend],
])
