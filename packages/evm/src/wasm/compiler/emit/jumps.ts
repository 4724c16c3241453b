import { FRAME_RESUME, HALT_INVALID_JUMP } from '../../layout.ts'
import type { Block } from '../analysis/block.ts'
import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import { constantOf, isNarrow, type Word } from '../values/limb.ts'
import type { BlockEmitter } from './block-emitter.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { FRAME, FUEL, OFFSET } from './registers.ts'

const NO_OFFSET = -1
/** Beyond this many dirty items, the stores precede the branch. */
const MAX_ITEMS_IN_BRANCH = 6

const jump: OperationEmitter = (e) => {
  const destination = e.stack.pop()
  e.stack.writeBack()
  e.updateStackPointer()
  leaveTo(e, destination)
}

const jumpIf: OperationEmitter = (e) => {
  const destination = e.stack.pop()
  const condition = e.stack.pop()
  const constant = constantOf(condition)
  if (constant === 0n) return
  if (e.stack.dirty > MAX_ITEMS_IN_BRANCH) e.stack.writeBack()
  if (constant === null) e.values.pushIsNonZero(condition)
  else e.body.i32(1)
  e.body.if()
  e.stack.emitStores()
  e.updateStackPointer()
  leaveTo(e, destination)
  e.body.end()
}

function leaveTo(e: BlockEmitter, destination: Word): void {
  const constant = constantOf(destination)
  const block = constant === null ? null : e.blocks.destination(constant)
  if (constant === null) leaveByValue(e, destination)
  else if (block === null) {
    e.setTarget(HALT_INVALID_JUMP)
    e.body.branch(e.exits.halt)
  } else if (block.index > e.block.index) e.body.branch(e.blocks.labelOf(block))
  else leaveBackward(e, block)
}

/** Every loop burns fuel here or in a dynamic jump. */
function leaveBackward(e: BlockEmitter, block: Block): void {
  const number = e.blocks.dispatchNumber(block.index)
  const { body } = e
  body.get(FUEL)
  body.i32(1)
  body.op(Instruction.i32Sub)
  body.tee(FUEL)
  body.op(Instruction.i32Eqz)
  body.if()
  body.get(FRAME)
  body.i32(number)
  body.store32(FRAME_RESUME)
  e.setTarget(block.pc)
  body.branch(e.exits.fuel)
  body.end()
  e.setTarget(number)
  body.branch(e.exits.dispatch)
}

function leaveByValue(e: BlockEmitter, destination: Word): void {
  e.values.push(destination[0])
  e.body.op(Instruction.i32WrapI64)
  e.body.i32(NO_OFFSET)
  e.values.push(destination[0])
  e.body.i64(BigInt(e.codeLength))
  e.body.op(Instruction.i64LtU)
  if (!isNarrow(destination)) {
    e.values.pushUnion(destination.slice(1))
    e.body.op(Instruction.i64Eqz, Instruction.i32And)
  }
  e.body.op(Instruction.select)
  e.body.set(OFFSET)
  e.body.branch(e.exits.dynamicJump)
}

export const JUMP_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.JUMP, jump],
  [op.JUMPI, jumpIf],
])
