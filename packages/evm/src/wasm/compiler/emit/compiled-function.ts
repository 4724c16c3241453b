import * as layout from '../../layout.ts'
import type { Block } from '../analysis/block.ts'
import type { BlockIndex } from '../analysis/block-index.ts'
import { FunctionBody, type Label } from '../encoding/function-body.ts'
import { Instruction, ValueType } from '../encoding/instructions.ts'
import type { CompileRefusal } from '../limits.ts'
import type { Subroutines } from '../subroutines/subroutines.ts'
import { BlockEmitter, type Exits } from './block-emitter.ts'
import type { CoreFunction } from './core-functions.ts'
import { emitterOf } from './emitters.ts'
import { chargeSegment, enterBlock } from './gas.ts'
import { FRAME, FUEL, GAS, MEMORY, MEMORY_BYTES, OFFSET, SP, STACK, TARGET } from './registers.ts'

const { i32, i64, v128 } = ValueType
const FIXED_LOCALS = [i32, i32, i32, i32, i32, i32, i32, i32, i64, v128]
/** Backward and dynamic jumps per entry. */
const FUEL_PER_ENTRY = 0x10000

export interface FunctionParts {
  readonly blocks: readonly Block[]
  readonly index: BlockIndex
  readonly core: ReadonlyMap<CoreFunction, number>
  readonly subroutines: Subroutines
  readonly jumpTableGlobal: number
  readonly codeLength: number
  readonly maxBytes: number
}

/** `(frame) -> status`: a branch table enters any block; blocks are in code order, so forward jumps are single branches. */
export function emitFunction(parts: FunctionParts): Uint8Array | CompileRefusal {
  return new FunctionEmitter(parts).emit()
}

class FunctionEmitter {
  private readonly body = new FunctionBody()
  private readonly labels = new Map<number, Label>()

  constructor(private readonly parts: FunctionParts) {}

  emit(): Uint8Array | CompileRefusal {
    const { body } = this
    this.loadFrame()
    const exits = this.openExits()
    const blocks = this.parts.blocks
    for (const block of [...blocks].reverse()) this.labels.set(block.index, body.block())
    const start = this.labelOf(blocks[0] as Block)
    body.get(TARGET)
    body.branchTable(
      this.parts.index.dispatched.map((block) => this.labelOf(block)),
      start,
    )
    const emitter = this.blockEmitter(exits)
    for (const block of blocks) {
      body.end()
      if (!this.emitBlock(emitter, block)) return 'output-too-large'
    }
    this.closeExits(exits)
    return body.finish([...FIXED_LOCALS, ...emitter.pool.declarations()])
  }

  private labelOf(block: Block): Label {
    return this.labels.get(block.index) as Label
  }

  private blockEmitter(exits: Exits): BlockEmitter {
    const { index, core, subroutines, codeLength } = this.parts
    const blocks = {
      destination: (pc: bigint) => index.destination(pc),
      labelOf: (block: Block) => this.labelOf(block),
      dispatchNumber: (blockIndex: number) => index.dispatchNumber(blockIndex),
    }
    return new BlockEmitter({ body: this.body, blocks, exits, core, subroutines, codeLength })
  }

  private emitBlock(emitter: BlockEmitter, block: Block): boolean {
    emitter.start(block)
    enterBlock(emitter, block)
    for (const [position, operation] of block.operations.entries()) {
      if (this.body.size > this.parts.maxBytes) return false
      emitter.makeRoom()
      if (position > 0) chargeSegment(emitter, operation.charge)
      emitterOf(operation.opcode, operation.role)(emitter, operation)
    }
    const last = block.operations.at(-1)
    if (block.next !== null && last?.role !== 'leave') {
      emitter.stack.writeBack()
      emitter.updateStackPointer()
    }
    return true
  }

  private loadFrame(): void {
    const { body } = this
    for (const [local, field] of [
      [SP, layout.FRAME_SP],
      [STACK, layout.FRAME_STACK],
      [MEMORY, layout.FRAME_MEMORY],
      [MEMORY_BYTES, layout.FRAME_MEMORY_BYTES],
    ] as const) {
      body.get(FRAME)
      body.load32(field)
      body.set(local)
    }
    body.get(FRAME)
    body.load64(layout.FRAME_GAS)
    body.set(GAS)
    body.i32(FUEL_PER_ENTRY)
    body.set(FUEL)
    body.get(FRAME)
    body.load32(layout.FRAME_RESUME)
    body.i32(this.parts.index.dispatchNumber(0))
    body.get(FRAME)
    body.load32(layout.FRAME_PC)
    body.op(Instruction.select)
    body.set(TARGET)
  }

  private openExits(): Exits {
    const { body } = this
    const halted = body.block()
    const halt = body.block()
    const outOfGas = body.block()
    const fuel = body.block()
    const bail = body.block()
    const dispatch = body.loop()
    const dynamicJump = body.block()
    return { halted, halt, outOfGas, fuel, bail, dispatch, dynamicJump }
  }

  private closeExits(exits: Exits): void {
    const { body } = this
    body.op(Instruction.unreachable)
    body.end()
    this.emitDynamicJump(exits)
    body.end()
    body.op(Instruction.unreachable)
    body.end()
    this.leave(layout.STATUS_BAIL)
    body.end()
    this.leave(layout.STATUS_FUEL)
    body.end()
    body.i32(layout.HALT_OUT_OF_GAS)
    body.set(TARGET)
    body.end()
    body.get(FRAME)
    body.get(TARGET)
    body.store32(layout.FRAME_HALT)
    body.end()
    this.emitHalted()
  }

  /** The frame's pc is in TARGET. */
  private leave(status: number): void {
    const { body } = this
    for (const [local, field] of [
      [TARGET, layout.FRAME_PC],
      [SP, layout.FRAME_SP],
    ] as const) {
      body.get(FRAME)
      body.get(local)
      body.store32(field)
    }
    body.get(FRAME)
    body.get(GAS)
    body.store64(layout.FRAME_GAS)
    body.i32(status)
    body.op(Instruction.return)
  }

  /** The core gives no reason when gas runs out. */
  private emitHalted(): void {
    const { body } = this
    body.get(FRAME)
    body.load32(layout.FRAME_HALT)
    body.op(Instruction.i32Eqz)
    body.if()
    body.get(FRAME)
    body.i32(layout.HALT_OUT_OF_GAS)
    body.store32(layout.FRAME_HALT)
    body.end()
    body.i32(layout.STATUS_HALT)
  }

  /** Adds the destinations before this one to the group's number. */
  private emitDynamicJump(exits: Exits): void {
    const { body } = this
    const pushRecord = () => {
      body.get(OFFSET)
      body.i32(5)
      body.op(Instruction.i32ShrU)
      body.i32(3)
      body.op(Instruction.i32Shl)
      body.getGlobal(this.parts.jumpTableGlobal)
      body.op(Instruction.i32Add)
    }
    body.i32(layout.HALT_INVALID_JUMP)
    body.set(TARGET)
    body.get(OFFSET)
    body.i32(this.parts.codeLength)
    body.op(Instruction.i32GeU)
    body.branchIf(exits.halt)
    pushRecord()
    body.load32(0)
    body.get(OFFSET)
    body.op(Instruction.i32ShrU)
    body.i32(1)
    body.op(Instruction.i32And, Instruction.i32Eqz)
    body.branchIf(exits.halt)
    pushRecord()
    body.load32(0)
    body.i32(1)
    body.get(OFFSET)
    body.op(Instruction.i32Shl)
    body.i32(1)
    body.op(Instruction.i32Sub, Instruction.i32And, Instruction.i32Popcnt)
    pushRecord()
    body.load32(4)
    body.op(Instruction.i32Add)
    body.set(TARGET)
    this.burnFuel(exits)
    body.branch(exits.dispatch)
  }

  private burnFuel(exits: Exits): void {
    const { body } = this
    body.get(FUEL)
    body.i32(1)
    body.op(Instruction.i32Sub)
    body.tee(FUEL)
    body.branchIf(exits.dispatch)
    body.get(FRAME)
    body.get(TARGET)
    body.store32(layout.FRAME_RESUME)
    body.get(OFFSET)
    body.set(TARGET)
    body.branch(exits.fuel)
  }
}
