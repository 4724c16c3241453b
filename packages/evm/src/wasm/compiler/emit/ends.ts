import { FRAME_GAS, FRAME_RESUME, FRAME_RETURN_LENGTH, STATUS_CALL, STATUS_RETURN } from '../../layout.ts'
import { SHAPE } from '../analysis/opcode-shape.ts'
import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import type { BlockEmitter } from './block-emitter.ts'
import { storeProgress } from './core-operations.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { FRAME, GAS } from './registers.ts'

/** The driver executes the opcode and enters the function again. */
export const leaveForCall: OperationEmitter = (e, { pc }) => {
  if (e.block.next !== null) {
    e.body.get(FRAME)
    e.body.i32(e.blocks.dispatchNumber(e.block.next))
    e.body.store32(FRAME_RESUME)
  }
  e.stack.writeBack()
  storeProgress(e, pc, () => e.pushStackPointer())
  leave(e, STATUS_CALL)
}

export const leaveAtUndefined: OperationEmitter = (e, { pc }) => {
  e.setTarget(pc)
  e.body.branch(e.exits.bail)
}

const stop: OperationEmitter = (e) => {
  e.body.get(FRAME)
  e.body.i32(0)
  e.body.store32(FRAME_RETURN_LENGTH)
  e.body.get(FRAME)
  e.body.get(GAS)
  e.body.store64(FRAME_GAS)
  leave(e, STATUS_RETURN)
}

const finish: OperationEmitter = (e, { opcode, pc }) => {
  e.stack.writeBack(SHAPE.removed[opcode])
  storeProgress(e, pc, () => e.pushStackPointer())
  e.body.get(FRAME)
  e.callCore('step')
  e.body.op(Instruction.return)
}

function leave(e: BlockEmitter, status: number): void {
  e.body.i32(status)
  e.body.op(Instruction.return)
}

export const END_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.STOP, stop],
  [op.RETURN, finish],
  [op.REVERT, finish],
  [op.SELFDESTRUCT, leaveForCall],
])
