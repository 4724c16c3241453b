import { FRAME_GAS, FRAME_PC, FRAME_SP, STATUS_STEPPED } from '../../layout.ts'
import { SHAPE } from '../analysis/opcode-shape.ts'
import * as op from '../analysis/opcodes.ts'
import { Instruction } from '../encoding/instructions.ts'
import type { BlockEmitter } from './block-emitter.ts'
import type { CoreFunction } from './core-functions.ts'
import { reloadMemoryBytes, settle } from './memory-access.ts'
import type { EmitterTable, OperationEmitter } from './operation-emitter.ts'
import { FRAME, GAS, TARGET } from './registers.ts'

type PaidFunction = Exclude<CoreFunction, 'step' | 'expandMemory' | 'returnDataSize' | 'opLog'>

/** The core charges dynamic gas. */
function paid(name: PaidFunction, growsMemory: boolean): OperationEmitter {
  return (e, { opcode }) => {
    e.stack.writeBack(removed(opcode))
    pushFrameStackAndGas(e)
    e.callCore(name)
    finish(e, opcode, growsMemory)
  }
}

const log: OperationEmitter = (e, { opcode }) => {
  e.stack.writeBack(removed(opcode))
  pushFrameStackAndGas(e)
  e.body.i32(opcode - op.LOG0)
  e.callCore('opLog')
  finish(e, opcode, true)
}

/** The interpreter charges all gas itself. */
export const step: OperationEmitter = (e, { opcode, pc }) => {
  e.stack.writeBack(removed(opcode))
  storeProgress(e, pc, () => e.pushStackPointer())
  e.body.get(FRAME)
  e.callCore('step')
  e.body.tee(TARGET)
  e.body.i32(STATUS_STEPPED)
  e.body.op(Instruction.i32Ne)
  e.body.if()
  e.body.get(TARGET)
  e.body.op(Instruction.return)
  e.body.end()
  e.body.get(FRAME)
  e.body.load64(FRAME_GAS)
  e.body.set(GAS)
  reloadMemoryBytes(e)
  e.stack.replaceInMemory(removed(opcode), SHAPE.added[opcode] as number)
}

export function storeProgress(e: BlockEmitter, pc: number, pushStackPointer: () => void): void {
  const { body } = e
  body.get(FRAME)
  body.i32(pc)
  body.store32(FRAME_PC)
  body.get(FRAME)
  pushStackPointer()
  body.store32(FRAME_SP)
  body.get(FRAME)
  body.get(GAS)
  body.store64(FRAME_GAS)
}

const removed = (opcode: number): number => SHAPE.removed[opcode] as number

function pushFrameStackAndGas(e: BlockEmitter): void {
  e.body.get(FRAME)
  e.pushStackPointer()
  e.body.get(GAS)
}

function finish(e: BlockEmitter, opcode: number, growsMemory: boolean): void {
  settle(e)
  if (growsMemory) reloadMemoryBytes(e)
  e.stack.replaceInMemory(removed(opcode), SHAPE.added[opcode] as number)
}

export const CORE_EMITTERS: EmitterTable = new Map<number, OperationEmitter>([
  [op.EXP, paid('opExp', false)],
  [op.KECCAK256, paid('opKeccak256', true)],
  [op.SLOAD, paid('opSload', false)],
  [op.SSTORE, paid('opSstore', false)],
  [op.TLOAD, paid('opTload', false)],
  [op.TSTORE, paid('opTstore', false)],
  [op.CALLDATACOPY, paid('opCalldatacopy', true)],
  [op.CODECOPY, paid('opCodecopy', true)],
  [op.RETURNDATACOPY, paid('opReturndatacopy', true)],
  [op.MCOPY, paid('opMcopy', true)],
  [op.BALANCE, paid('opBalance', false)],
  [op.EXTCODESIZE, paid('opExtcodesize', false)],
  [op.EXTCODEHASH, paid('opExtcodehash', false)],
  [op.EXTCODECOPY, paid('opExtcodecopy', true)],
  ...[0, 1, 2, 3, 4].map((topics): [number, OperationEmitter] => [op.LOG0 + topics, log]),
])
