import * as op from '../analysis/opcodes.ts'
import type { SubroutineName } from '../subroutines/subroutines.ts'
import { constantOf, constantWord, isNarrow, type Word } from '../values/limb.ts'
import type { ValueWriter } from '../values/value-writer.ts'
import { addWords, subtractWords } from '../words/add-subtract.ts'
import { andWords, notWord, orWords, xorWords } from '../words/bitwise.ts'
import { equalWords, lessThan, signedLessThan } from '../words/compare.ts'
import { countLeadingZeros } from '../words/leading-zeros.ts'
import { multiplyWords } from '../words/multiply.ts'
import { shiftLeftBy } from '../words/shift.ts'
import type { BlockEmitter } from './block-emitter.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'

const truth = (condition: boolean): bigint => (condition ? 1n : 0n)
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)

function unary(fold: (a: bigint) => bigint, emit: (w: ValueWriter, a: Word) => Word): OperationEmitter {
  return (e) => {
    const a = e.stack.pop()
    const value = constantOf(a)
    e.stack.push(value === null ? emit(e.values, a) : constantWord(fold(value)))
  }
}

function binary(fold: (a: bigint, b: bigint) => bigint, emit: (e: BlockEmitter, a: Word, b: Word) => Word): OperationEmitter {
  return (e) => {
    const a = e.stack.pop()
    const b = e.stack.pop()
    const left = constantOf(a)
    const right = constantOf(b)
    e.stack.push(left === null || right === null ? emit(e, a, b) : constantWord(fold(left, right)))
  }
}

function plain(fold: (a: bigint, b: bigint) => bigint, emit: (w: ValueWriter, a: Word, b: Word) => Word): OperationEmitter {
  return binary(fold, (e, a, b) => emit(e.values, a, b))
}

export function callSubroutine(e: BlockEmitter, name: SubroutineName, pushOperands: () => void): Word {
  pushOperands()
  e.body.call(e.subroutines.indexOf(name))
  return e.values.saveWord()
}

/** n for 2^n, or -1. */
export function exponentOfTwo(value: bigint | null): number {
  if (value === null || value <= 0n || (value & (value - 1n)) !== 0n) return -1
  return value.toString(2).length - 1
}

function multiply(e: BlockEmitter, a: Word, b: Word): Word {
  for (const [factor, other] of [[constantOf(a), b] as const, [constantOf(b), a] as const]) {
    if (factor === 0n) return constantWord(0n)
    const exponent = exponentOfTwo(factor)
    if (exponent >= 0) return shiftLeftBy(e.values, other, exponent)
  }
  if (isNarrow(a) && isNarrow(b)) return multiplyWords(e.values, a, b)
  return callSubroutine(e, 'multiply', () => {
    e.values.pushWord(a)
    e.values.pushWord(b)
  })
}

export const PURE_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.ADD, plain((a, b) => a + b, addWords)],
  [op.MUL, binary((a, b) => a * b, multiply)],
  [op.SUB, plain((a, b) => a - b, subtractWords)],
  [op.LT, plain((a, b) => truth(a < b), lessThan)],
  [
    op.GT,
    plain(
      (a, b) => truth(a > b),
      (w, a, b) => lessThan(w, b, a),
    ),
  ],
  [op.SLT, plain((a, b) => truth(signed(a) < signed(b)), signedLessThan)],
  [
    op.SGT,
    plain(
      (a, b) => truth(signed(a) > signed(b)),
      (w, a, b) => signedLessThan(w, b, a),
    ),
  ],
  [op.EQ, plain((a, b) => truth(a === b), equalWords)],
  [op.ISZERO, unary((a) => truth(a === 0n), isZeroWord)],
  [op.AND, plain((a, b) => a & b, andWords)],
  [op.OR, plain((a, b) => a | b, orWords)],
  [op.XOR, plain((a, b) => a ^ b, xorWords)],
  [op.NOT, unary((a) => ~a, notWord)],
  [op.CLZ, unary((a) => BigInt(a === 0n ? 256 : 256 - a.toString(2).length), countLeadingZeros)],
])

function isZeroWord(w: ValueWriter, a: Word): Word {
  w.pushIsZero(a)
  return w.saveFlag()
}
