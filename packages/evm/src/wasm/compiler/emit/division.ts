import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import { constantOf, constantWord, isNarrow, isZero, type Limb, mapLimbs, narrowWord, type Word, ZERO } from '../values/limb.ts'
import { andWords } from '../words/bitwise.ts'
import { shiftRightBy } from '../words/shift.ts'
import type { BlockEmitter } from './block-emitter.ts'
import type { CoreFunction } from './core-functions.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { exponentOfTwo } from './pure.ts'
import { BASE } from './registers.ts'

interface Division {
  readonly fold: (a: bigint, b: bigint) => bigint
  readonly byPowerOfTwo: (e: BlockEmitter, a: Word, exponent: number) => Word
  readonly instruction: Instruction
  readonly core: CoreFunction
}

function division({ fold, byPowerOfTwo, instruction, core }: Division): OperationEmitter {
  return (e) => {
    const a = e.stack.pop()
    const b = e.stack.pop()
    const dividend = constantOf(a)
    const divisor = constantOf(b)
    if (divisor === 0n) e.stack.push(constantWord(0n))
    else if (dividend !== null && divisor !== null) e.stack.push(constantWord(fold(dividend, divisor)))
    else if (exponentOfTwo(divisor) >= 0) e.stack.push(byPowerOfTwo(e, a, exponentOfTwo(divisor)))
    else if (isNarrow(a) && isNarrow(b)) e.stack.push(narrowWord(divideLimbs(e, instruction, a[0], b[0])))
    else e.stack.push(divideWords(e, { instruction, core }, a, b))
  }
}

/** The instruction traps at zero, so the divisor becomes 1. */
function divideLimbs(e: BlockEmitter, instruction: Instruction, a: Limb, b: Limb): Limb {
  const { values, body } = e
  if (isZero(b)) return ZERO
  if (b.kind === 'constant') {
    values.push(a)
    values.push(b)
    body.op(instruction)
    return values.save()
  }
  values.push(a)
  values.push(b)
  values.push(b)
  body.op(Instruction.i64Eqz, Instruction.i64ExtendI32U, Instruction.i64Or, instruction)
  body.i64(0n)
  values.push(b)
  body.op(Instruction.i64Eqz, Instruction.i32Eqz, Instruction.select)
  return values.save()
}

/** The core divides operands of 2^64 and more. */
function divideWords(e: BlockEmitter, division: Pick<Division, 'instruction' | 'core'>, a: Word, b: Word): Word {
  const { values, body, stack } = e
  const result = mapLimbs(() => e.pool.takeLimb())
  const keep = (limb: Limb, i: number) => {
    values.push(limb)
    body.set((result[i] as { local: number }).local)
  }
  values.pushUnion([...a.slice(1), ...b.slice(1)])
  body.op(Instruction.i64Eqz)
  body.if()
  ;[divideLimbs(e, division.instruction, a[0], b[0]), ZERO, ZERO, ZERO].forEach(keep)
  body.op(Instruction.else)
  const position = stack.height
  stack.push(b)
  stack.push(a)
  stack.writeBack(2)
  e.pushStackPointer()
  e.callCore(division.core)
  stack.replaceInMemory(2, 0)
  values.loadWord(() => body.get(BASE), position * 32).forEach(keep)
  body.end()
  return result
}

function inCore(name: CoreFunction, operands: number): OperationEmitter {
  return (e) => {
    e.stack.writeBack(operands)
    e.pushStackPointer()
    e.callCore(name)
    e.stack.replaceInMemory(operands, 1)
  }
}

export const DIVISION_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [
    op.DIV,
    division({
      fold: (a, b) => a / b,
      byPowerOfTwo: (e, a, exponent) => shiftRightBy(e.values, a, exponent),
      instruction: Instruction.i64DivU,
      core: 'opDiv',
    }),
  ],
  [
    op.MOD,
    division({
      fold: (a, b) => a % b,
      byPowerOfTwo: (e, a, exponent) => andWords(e.values, a, constantWord((1n << BigInt(exponent)) - 1n)),
      instruction: Instruction.i64RemU,
      core: 'opMod',
    }),
  ],
  [op.SDIV, inCore('opSdiv', 2)],
  [op.SMOD, inCore('opSmod', 2)],
  [op.ADDMOD, inCore('opAddmod', 3)],
  [op.MULMOD, inCore('opMulmod', 3)],
])
