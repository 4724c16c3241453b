/** Texts of geth 1.17 (core/vm/errors.go, core/vm/common.go), which tools and wallets match. */
import { type EthFork, ethParameters, evmParameters, type Opcode, opcodesOf } from '@keelson/chainspec'
import {
  HALT_BALANCE,
  HALT_CODE_EF,
  HALT_CODE_SIZE,
  HALT_CODE_STORE_OUT_OF_GAS,
  HALT_COLLISION,
  HALT_DEPTH,
  HALT_GAS_OVERFLOW,
  HALT_INIT_CODE_SIZE,
  HALT_INVALID_JUMP,
  HALT_MEMORY_OVERFLOW,
  HALT_NONCE,
  HALT_OUT_OF_GAS,
  HALT_PRECOMPILE,
  HALT_RETURN_DATA_BOUNDS,
  HALT_STACK_OVERFLOW,
  HALT_STACK_UNDERFLOW,
  HALT_STORAGE_SENTRY,
  HALT_UNDEFINED_OPCODE,
  HALT_WRITE_PROTECTION,
  MAX_STACK_ITEMS,
} from './layout.ts'
import { opcodeName } from './opcode-names.ts'

export const BALANCE_TEXT = 'insufficient balance for transfer'
export const NONCE_TEXT = 'nonce uint64 overflow'
export const REVERT_TEXT = 'execution reverted'
const OUT_OF_GAS = 'out of gas'
/** geth puts this before the cause of a failure that it finds while it computes the price of a step. */
const WHILE_PRICED = `${OUT_OF_GAS}: `
const WRITE_PROTECTION = 'write protection'
const OVERFLOW = 'gas uint64 overflow'
const SENTRY = `${WHILE_PRICED}not enough gas for reentrancy sentry`
/** TSTORE and LOG0 to LOG4 refuse to write during execution, all other opcodes while they are priced. */
const REFUSES_LATE: ReadonlySet<number> = new Set([0x5d, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4])

export interface Halt {
  readonly reason: number
  readonly opcode: number
  /** Stack items, or bytes of code. */
  readonly amount: number
  precompileFailure(): string
}

const TEXTS: Readonly<Record<number, string>> = {
  [HALT_OUT_OF_GAS]: OUT_OF_GAS,
  [HALT_INVALID_JUMP]: 'invalid jump destination',
  [HALT_RETURN_DATA_BOUNDS]: 'return data out of bounds',
  [HALT_GAS_OVERFLOW]: OVERFLOW,
  [HALT_MEMORY_OVERFLOW]: `${WHILE_PRICED}${OVERFLOW}`,
  [HALT_STORAGE_SENTRY]: SENTRY,
  [HALT_CODE_STORE_OUT_OF_GAS]: 'contract creation code storage out of gas',
  [HALT_CODE_EF]: 'invalid code: must not begin with 0xef',
  [HALT_COLLISION]: 'contract address collision',
  [HALT_DEPTH]: 'max call depth exceeded',
  [HALT_BALANCE]: BALANCE_TEXT,
  [HALT_NONCE]: NONCE_TEXT,
}

export function haltText(halt: Halt, fork: EthFork): string {
  const { reason, opcode, amount } = halt
  const text = TEXTS[reason]
  if (text !== undefined) return text
  switch (reason) {
    case HALT_UNDEFINED_OPCODE:
      return `invalid opcode: ${opcodeName(opcode)}`
    case HALT_WRITE_PROTECTION:
      return REFUSES_LATE.has(opcode) ? WRITE_PROTECTION : `${WHILE_PRICED}${WRITE_PROTECTION}`
    case HALT_PRECOMPILE:
      return halt.precompileFailure()
    case HALT_CODE_SIZE:
      return `max code size exceeded: code size ${amount} limit ${evmParameters(fork).maxCodeBytes}`
    case HALT_INIT_CODE_SIZE:
      return `${WHILE_PRICED}${initCodeSizeText(amount, fork)}`
  }
  const { taken, given } = opcodesOf(fork).get(opcode) as Opcode
  if (reason === HALT_STACK_UNDERFLOW) return `stack underflow (${amount} <=> ${taken})`
  if (reason === HALT_STACK_OVERFLOW) return `stack limit reached ${amount} (${MAX_STACK_ITEMS + taken - given})`
  return 'execution failed'
}

export function initCodeSizeText(bytes: number, fork: EthFork): string {
  return `max initcode size exceeded: code size ${bytes} limit ${ethParameters(fork).maxInitCodeBytes}`
}

/** Whether a call that ended with this text might succeed with more gas. */
export function lacksGas(error: string): boolean {
  return error === OUT_OF_GAS || error === SENTRY
}

/** The failure itself, without the words that geth puts before one that it finds while it prices a step. */
export function causeOf(error: string): string {
  return lacksGas(error) || !error.startsWith(WHILE_PRICED) ? error : error.slice(WHILE_PRICED.length)
}
