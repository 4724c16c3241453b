/** Error texts of geth. */

export interface LastOperation {
  readonly opcode: number
  readonly stackLength: number
  readonly gasLeft: bigint
  readonly gasCost: bigint
}

const BAD_JUMP = 'invalid JUMP'
const TEXTS: Readonly<Record<string, string>> = {
  revert: 'execution reverted',
  [BAD_JUMP]: 'invalid jump destination',
  'static state change': 'write protection',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'create collision': 'contract address collision',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
  'insufficient balance': 'insufficient balance for transfer',
  'code store out of gas': 'contract creation code storage out of gas',
}

export const CALL_DEPTH_TEXT = 'max call depth exceeded'
export const BALANCE_TEXT = 'insufficient balance for transfer'
export const NONCE_TEXT = 'nonce uint64 overflow'

const RETURNDATACOPY = 0x3e
const RETURN = 0xf3
const INVALID = 0xfe
const STACK_LIMIT = 1024

export interface HaltedFrame {
  readonly last: LastOperation | null
  readonly creating: boolean
  readonly storeNeedsStipend: boolean
}

const STIPEND = 2300n
const SSTORE = 0x55

export function haltText(engineError: string, { last, creating, storeNeedsStipend }: HaltedFrame): string {
  const error = engineError.startsWith(BAD_JUMP) ? BAD_JUMP : engineError
  switch (error) {
    case 'invalid opcode':
      if (last === null) return error
      return last.opcode === INVALID ? 'invalid opcode: INVALID' : `invalid opcode: opcode 0x${last.opcode.toString(16)} not defined`
    case 'value out of range':
      // The error is from BLAKE2's input check.
      if (last === null) return 'invalid input length'
      return last.opcode === RETURNDATACOPY ? 'return data out of bounds' : 'gas uint64 overflow'
    case 'stack underflow':
      return last === null ? error : `${error} (${last.stackLength} <=> ${stackItems(last.opcode).taken})`
    case 'stack overflow': {
      if (last === null) return 'stack limit reached'
      const { taken, given } = stackItems(last.opcode)
      return `stack limit reached ${last.stackLength} (${STACK_LIMIT + taken - given})`
    }
    case 'out of gas': {
      if (storeNeedsStipend && last?.opcode === SSTORE && last.gasLeft <= STIPEND) return `${error}: not enough gas for reentrancy sentry`
      if (last === null || last.gasCost > last.gasLeft) return error
      if (last.opcode === RETURNDATACOPY) return 'return data out of bounds'
      return creating && last.opcode === RETURN ? 'contract creation code storage out of gas' : error
    }
    default:
      return TEXTS[error] ?? error
  }
}

const STACK_EFFECTS: readonly (readonly [from: number, to: number, taken: number, given: number])[] = [
  [0x01, 0x07, 2, 1],
  [0x08, 0x09, 3, 1],
  [0x0a, 0x0b, 2, 1],
  [0x10, 0x14, 2, 1],
  [0x15, 0x15, 1, 1],
  [0x16, 0x18, 2, 1],
  [0x19, 0x19, 1, 1],
  [0x1a, 0x1d, 2, 1],
  [0x1e, 0x1e, 1, 1],
  [0x20, 0x20, 2, 1],
  [0x30, 0x30, 0, 1],
  [0x31, 0x31, 1, 1],
  [0x32, 0x34, 0, 1],
  [0x35, 0x35, 1, 1],
  [0x36, 0x36, 0, 1],
  [0x37, 0x37, 3, 0],
  [0x38, 0x38, 0, 1],
  [0x39, 0x39, 3, 0],
  [0x3a, 0x3a, 0, 1],
  [0x3b, 0x3b, 1, 1],
  [0x3c, 0x3c, 4, 0],
  [0x3d, 0x3d, 0, 1],
  [0x3e, 0x3e, 3, 0],
  [0x3f, 0x40, 1, 1],
  [0x41, 0x48, 0, 1],
  [0x49, 0x49, 1, 1],
  [0x4a, 0x4a, 0, 1],
  [0x50, 0x50, 1, 0],
  [0x51, 0x51, 1, 1],
  [0x52, 0x53, 2, 0],
  [0x54, 0x54, 1, 1],
  [0x55, 0x55, 2, 0],
  [0x56, 0x56, 1, 0],
  [0x57, 0x57, 2, 0],
  [0x58, 0x5a, 0, 1],
  [0x5c, 0x5c, 1, 1],
  [0x5d, 0x5d, 2, 0],
  [0x5e, 0x5e, 3, 0],
  [0x5f, 0x7f, 0, 1],
  [0xf0, 0xf0, 3, 1],
  [0xf1, 0xf2, 7, 1],
  [0xf3, 0xf3, 2, 0],
  [0xf4, 0xf4, 6, 1],
  [0xf5, 0xf5, 4, 1],
  [0xfa, 0xfa, 6, 1],
  [0xfd, 0xfd, 2, 0],
  [0xff, 0xff, 1, 0],
]

function stackItems(opcode: number): { readonly taken: number; readonly given: number } {
  if (opcode >= 0x80 && opcode <= 0x8f) return { taken: opcode - 0x7f, given: opcode - 0x7e }
  if (opcode >= 0x90 && opcode <= 0x9f) return { taken: opcode - 0x8e, given: opcode - 0x8e }
  if (opcode >= 0xa0 && opcode <= 0xa4) return { taken: opcode - 0x9e, given: 0 }
  const effect = STACK_EFFECTS.find(([from, to]) => opcode >= from && opcode <= to)
  return { taken: effect?.[2] ?? 0, given: effect?.[3] ?? 0 }
}
