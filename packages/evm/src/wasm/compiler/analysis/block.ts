import type { OpcodeRole } from './opcode-role.ts'

export interface Operation {
  readonly pc: number
  readonly opcode: number
  readonly role: OpcodeRole
  readonly immediate: bigint
  /** Static gas of the segment that begins here, otherwise zero. */
  readonly charge: number
  /** Static gas already charged for the rest of the segment. */
  readonly paidAhead: number
}

/** JUMPI may leave it early. */
export interface Block {
  readonly index: number
  readonly pc: number
  readonly operations: readonly Operation[]
  /** Items read below the entry height. */
  readonly needed: number
  /** Peak height, counted from the entry height less `needed`. */
  readonly highest: number
  readonly isDestination: boolean
  /** Null when the last operation ends or leaves the function. */
  readonly next: number | null
}
