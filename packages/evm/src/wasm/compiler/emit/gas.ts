import { MAX_STACK_ITEMS } from '../../layout.ts'
import type { Block } from '../analysis/block.ts'
import { Instruction } from '../encoding/instructions.ts'
import { ITEM_BYTES } from '../values/symbolic-stack.ts'
import type { BlockEmitter } from './block-emitter.ts'
import { BASE, GAS, SP, STACK } from './registers.ts'

/** Also charges the first segment. */
export function enterBlock(e: BlockEmitter, block: Block): void {
  const { body } = e
  body.get(SP)
  if (block.needed > 0) {
    body.i32(block.needed * ITEM_BYTES)
    body.op(Instruction.i32Sub)
  }
  body.set(BASE)
  const charge = block.operations[0]?.charge ?? 0
  const checksStack = block.needed > 0 || block.highest > 0
  if (checksStack || charge > 0) {
    e.setTarget(block.pc)
    if (checksStack) pushStackUnfit(e, block)
    if (charge > 0) {
      pushGasBelow(e, charge)
      if (checksStack) body.op(Instruction.i32Or)
    }
    body.branchIf(e.exits.bail)
  }
  subtract(e, charge)
}

export function chargeSegment(e: BlockEmitter, charge: number): void {
  if (charge === 0) return
  pushGasBelow(e, charge)
  e.body.branchIf(e.exits.outOfGas)
  subtract(e, charge)
}

/** Below the stack's base, the unsigned difference is huge. */
function pushStackUnfit(e: BlockEmitter, block: Block): void {
  if (block.highest > MAX_STACK_ITEMS) {
    e.body.i32(1)
    return
  }
  e.body.get(BASE)
  e.body.get(STACK)
  e.body.op(Instruction.i32Sub)
  e.body.i32((MAX_STACK_ITEMS - block.highest) * ITEM_BYTES)
  e.body.op(Instruction.i32GtU)
}

function pushGasBelow(e: BlockEmitter, charge: number): void {
  e.body.get(GAS)
  e.body.i64(BigInt(charge))
  e.body.op(Instruction.i64LtU)
}

function subtract(e: BlockEmitter, charge: number): void {
  if (charge === 0) return
  e.body.get(GAS)
  e.body.i64(BigInt(charge))
  e.body.op(Instruction.i64Sub)
  e.body.set(GAS)
}
