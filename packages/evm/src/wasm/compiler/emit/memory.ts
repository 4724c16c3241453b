import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import { narrowWord } from '../values/limb.ts'
import { loadBigEndian, storeBigEndian } from '../words/big-endian.ts'
import { accessMemory } from './memory-access.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { MEMORY_BYTES, VECTOR } from './registers.ts'

const WORD_BYTES = 32

const load: OperationEmitter = (e) => {
  const place = accessMemory(e, e.stack.pop(), WORD_BYTES)
  e.stack.push(loadBigEndian(e.values, place.pushAddress, place.offset, VECTOR))
}

const store: OperationEmitter = (e) => {
  const offset = e.stack.pop()
  const value = e.stack.pop()
  const place = accessMemory(e, offset, WORD_BYTES)
  storeBigEndian(e.values, place.pushAddress, place.offset, value, VECTOR)
}

const storeByte: OperationEmitter = (e) => {
  const offset = e.stack.pop()
  const value = e.stack.pop()
  const place = accessMemory(e, offset, 1)
  place.pushAddress()
  e.values.push(value[0])
  e.body.store8(place.offset)
}

const size: OperationEmitter = (e) => {
  e.body.get(MEMORY_BYTES)
  e.body.op(Instruction.i64ExtendI32U)
  e.stack.push(narrowWord(e.values.save()))
}

export const MEMORY_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.MLOAD, load],
  [op.MSTORE, store],
  [op.MSTORE8, storeByte],
  [op.MSIZE, size],
])
