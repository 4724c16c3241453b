/** geth's error texts, which tools and wallets match. */
import { type EthFork, type Opcode, opcodesOf } from '@keelson/chainspec'
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

export const BALANCE_TEXT = 'insufficient balance for transfer'
export const REVERT_TEXT = 'execution reverted'
const INVALID = 0xfe

const TEXTS: Readonly<Record<number, string>> = {
  [HALT_OUT_OF_GAS]: 'out of gas',
  [HALT_INVALID_JUMP]: 'invalid jump destination',
  [HALT_WRITE_PROTECTION]: 'write protection',
  [HALT_RETURN_DATA_BOUNDS]: 'return data out of bounds',
  [HALT_GAS_OVERFLOW]: 'gas uint64 overflow',
  [HALT_STORAGE_SENTRY]: 'out of gas: not enough gas for reentrancy sentry',
  [HALT_CODE_STORE_OUT_OF_GAS]: 'contract creation code storage out of gas',
  [HALT_CODE_SIZE]: 'max code size exceeded',
  [HALT_CODE_EF]: 'invalid code: must not begin with 0xef',
  [HALT_COLLISION]: 'contract address collision',
  [HALT_INIT_CODE_SIZE]: 'max initcode size exceeded',
  [HALT_DEPTH]: 'max call depth exceeded',
  [HALT_BALANCE]: BALANCE_TEXT,
  [HALT_NONCE]: 'nonce uint64 overflow',
  [HALT_PRECOMPILE]: 'invalid input length',
}

export function haltText(reason: number, opcode: number, stackItems: number, fork: EthFork): string {
  if (reason === HALT_UNDEFINED_OPCODE) {
    return opcode === INVALID ? 'invalid opcode: INVALID' : `invalid opcode: opcode 0x${opcode.toString(16)} not defined`
  }
  const text = TEXTS[reason]
  if (text !== undefined) return text
  const { taken, given } = opcodesOf(fork).get(opcode) as Opcode
  if (reason === HALT_STACK_UNDERFLOW) return `stack underflow (${stackItems} <=> ${taken})`
  if (reason === HALT_STACK_OVERFLOW) return `stack limit reached ${stackItems} (${MAX_STACK_ITEMS + taken - given})`
  return 'execution failed'
}
