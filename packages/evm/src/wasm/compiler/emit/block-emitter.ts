import type { Block } from '../analysis/block.ts'
import type { FunctionBody, Label } from '../encoding/function-body.ts'
import { Instruction } from '../encoding/instructions.ts'
import type { Subroutines } from '../subroutines/subroutines.ts'
import { LocalPool } from '../values/local-pool.ts'
import { ITEM_BYTES, SymbolicStack } from '../values/symbolic-stack.ts'
import { ValueWriter } from '../values/value-writer.ts'
import type { CoreFunction } from './core-functions.ts'
import { BASE, FIRST_POOLED, SP, TARGET } from './registers.ts'

/** Locals; no opcode takes more. */
const ROOM = 48
const POOL_CAPACITY = 144

export interface Exits {
  readonly outOfGas: Label
  /** TARGET holds a HALT constant. */
  readonly halt: Label
  /** The core has set FRAME_HALT. */
  readonly halted: Label
  /** TARGET holds a pc. */
  readonly bail: Label
  /** TARGET holds the pc, FRAME_RESUME the dispatch number. */
  readonly fuel: Label
  /** TARGET holds a dispatch number. */
  readonly dispatch: Label
  /** OFFSET holds the destination, valid or not. */
  readonly dynamicJump: Label
}

export interface BlockMap {
  /** Null when the offset is not a JUMPDEST. */
  destination(pc: bigint): Block | null
  labelOf(block: Block): Label
  dispatchNumber(blockIndex: number): number
}

export interface BlockEmitterParts {
  readonly body: FunctionBody
  readonly blocks: BlockMap
  readonly exits: Exits
  readonly core: ReadonlyMap<CoreFunction, number>
  readonly subroutines: Subroutines
  readonly codeLength: number
}

export class BlockEmitter {
  readonly body: FunctionBody
  readonly pool = new LocalPool(FIRST_POOLED, POOL_CAPACITY)
  readonly values: ValueWriter
  readonly stack: SymbolicStack
  readonly blocks: BlockMap
  readonly exits: Exits
  readonly subroutines: Subroutines
  readonly codeLength: number
  /** Lower bound of the length of EVM memory. */
  knownMemoryBytes = 0
  private readonly core: ReadonlyMap<CoreFunction, number>
  private current: Block | null = null

  constructor(parts: BlockEmitterParts) {
    this.body = parts.body
    this.blocks = parts.blocks
    this.exits = parts.exits
    this.subroutines = parts.subroutines
    this.core = parts.core
    this.codeLength = parts.codeLength
    this.values = new ValueWriter(this.body, this.pool)
    this.stack = new SymbolicStack(this.values, BASE)
  }

  get block(): Block {
    if (this.current === null) throw new Error('no block is open; call start first')
    return this.current
  }

  start(block: Block): void {
    this.current = block
    this.knownMemoryBytes = 0
    this.pool.keepOnly([])
    this.stack.start(block.needed)
  }

  makeRoom(): void {
    if (this.pool.hasRoomFor(ROOM)) return
    this.pool.keepOnly(this.stack.words())
    if (this.pool.hasRoomFor(ROOM)) return
    this.stack.spill()
    this.pool.keepOnly([])
  }

  callCore(name: CoreFunction): void {
    this.body.call(this.core.get(name) as number)
  }

  pushStackPointer(): void {
    this.pushPosition(this.stack.height)
  }

  pushPosition(position: number): void {
    this.body.get(BASE)
    if (position === 0) return
    this.body.i32(position * ITEM_BYTES)
    this.body.op(Instruction.i32Add)
  }

  updateStackPointer(): void {
    if (this.stack.height === this.block.needed) return
    this.pushStackPointer()
    this.body.set(SP)
  }

  setTarget(value: number): void {
    this.body.i32(value)
    this.body.set(TARGET)
  }
}
