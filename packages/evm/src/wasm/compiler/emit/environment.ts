import * as layout from '../../layout.ts'
import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import { constantOf, constantWord, isNarrow, narrowWord } from '../values/limb.ts'
import { loadBigEndian } from '../words/big-endian.ts'
import type { BlockEmitter } from './block-emitter.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { FRAME, GAS, OFFSET, VECTOR } from './registers.ts'

const ADDRESS_LIMBS = 3
/** Beyond any call data. */
const FAR_OFFSET = 0x7fffff00

function context(field: number, limbs = 4): OperationEmitter {
  return (e) => e.stack.push(e.values.loadWord(() => e.body.i32(layout.CONTEXT), field, limbs))
}

function frameWord(field: number, limbs: number): OperationEmitter {
  return (e) => e.stack.push(e.values.loadWord(() => e.body.get(FRAME), field, limbs))
}

function number(push: (e: BlockEmitter) => void): OperationEmitter {
  return (e) => {
    push(e)
    e.body.op(Instruction.i64ExtendI32U)
    e.stack.push(narrowWord(e.values.save()))
  }
}

const ownAddress: OperationEmitter = (e) => {
  e.body.get(FRAME)
  e.body.load32(layout.FRAME_ACCOUNT)
  e.body.set(OFFSET)
  e.stack.push(e.values.loadWord(() => e.body.get(OFFSET), layout.ACCOUNT_ADDRESS, ADDRESS_LIMBS))
}

const gasLeft: OperationEmitter = (e, { paidAhead }) => {
  e.body.get(GAS)
  if (paidAhead > 0) {
    e.body.i64(BigInt(paidAhead))
    e.body.op(Instruction.i64Add)
  }
  e.stack.push(narrowWord(e.values.save()))
}

const callDataLoad: OperationEmitter = (e) => {
  const offset = e.stack.pop()
  const constant = constantOf(offset)
  const spare = e.stack.height
  e.body.get(FRAME)
  if (constant !== null) e.body.i32(constant < FAR_OFFSET ? Number(constant) : FAR_OFFSET)
  else {
    e.values.push(offset[0])
    e.body.op(Instruction.i32WrapI64)
    e.body.i32(FAR_OFFSET)
    e.values.push(offset[0])
    e.body.i64(BigInt(FAR_OFFSET))
    e.body.op(Instruction.i64LtU)
    if (!isNarrow(offset)) {
      e.values.pushUnion(offset.slice(1))
      e.body.op(Instruction.i64Eqz, Instruction.i32And)
    }
    e.body.op(Instruction.select)
  }
  e.pushPosition(spare)
  e.body.call(e.subroutines.indexOf('callDataAddress'))
  e.body.set(OFFSET)
  e.stack.replaceInMemory(0, 1)
  e.stack.drop()
  e.stack.push(loadBigEndian(e.values, () => e.body.get(OFFSET), 0, VECTOR))
}

export const ENVIRONMENT_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.ADDRESS, ownAddress],
  [op.ORIGIN, context(layout.CONTEXT_ORIGIN, ADDRESS_LIMBS)],
  [op.CALLER, frameWord(layout.FRAME_CALLER, ADDRESS_LIMBS)],
  [op.CALLVALUE, frameWord(layout.FRAME_VALUE, 4)],
  [op.CALLDATALOAD, callDataLoad],
  [
    op.CALLDATASIZE,
    number((e) => {
      e.body.get(FRAME)
      e.body.load32(layout.FRAME_INPUT_LENGTH)
    }),
  ],
  [op.CODESIZE, (e) => e.stack.push(constantWord(BigInt(e.codeLength)))],
  [op.GASPRICE, context(layout.CONTEXT_GAS_PRICE)],
  [op.RETURNDATASIZE, number((e) => e.callCore('returnDataSize'))],
  [op.COINBASE, context(layout.CONTEXT_FEE_RECIPIENT, ADDRESS_LIMBS)],
  [op.TIMESTAMP, context(layout.CONTEXT_TIMESTAMP)],
  [op.NUMBER, context(layout.CONTEXT_NUMBER)],
  [op.PREVRANDAO, context(layout.CONTEXT_PREV_RANDAO)],
  [op.GASLIMIT, context(layout.CONTEXT_GAS_LIMIT)],
  [op.CHAINID, context(layout.CONTEXT_CHAIN_ID)],
  [op.BASEFEE, context(layout.CONTEXT_BASE_FEE)],
  [op.BLOBBASEFEE, context(layout.CONTEXT_BLOB_BASE_FEE)],
  [op.PC, (e, { pc }) => e.stack.push(constantWord(BigInt(pc)))],
  [op.GAS, gasLeft],
])
