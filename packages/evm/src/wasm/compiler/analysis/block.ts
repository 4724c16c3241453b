import type { OpcodeRole } from './opcode-role.ts'

export interface Operation {
  readonly pc: number
  readonly opcode: number
  readonly role: OpcodeRole
  /** Operand of PUSH; zero otherwise. */
  readonly immediate: bigint
  /** Static gas of the segment that begins here, charged before the operation; zero inside a segment. */
  readonly charge: number
  /** Static gas that was charged for the operations of the segment after this one. */
  readonly paidAhead: number
}

/** Straight code with one entry; JUMPI leaves it in the middle. */
export interface Block {
  readonly index: number
  readonly pc: number
  readonly operations: readonly Operation[]
  /** Items that the block reads below its entry height. */
  readonly needed: number
  /** Highest stack in the block, in items above `pc`'s entry height less `needed`. */
  readonly highest: number
  readonly isDestination: boolean
  /** Block that is entered after the last operation, or null when the last operation ends or leaves the function. */
  readonly next: number | null
}
