import type { EthFork } from '@keelson/chainspec'
import type { CallResult, Message } from '../ports.ts'
import { MAX_GAS } from './context.ts'
import type { CoreInstance } from './core-instance.ts'
import { haltText, REVERT_TEXT } from './halt-text.ts'
import {
  CONTEXT,
  RESULT_CREATED,
  RESULT_GAS,
  RESULT_HALT,
  RESULT_HALT_AMOUNT,
  RESULT_HALT_OPCODE,
  RESULT_OUTPUT,
  RESULT_OUTPUT_LENGTH,
  RESULT_REFUND,
  RESULT_STATUS,
  STATUS_HALT,
  STATUS_RETURN,
} from './layout.ts'

export function readResult({ memory, precompileFailure }: CoreInstance, { kind, gas }: Message, fork: EthFork): CallResult {
  const status = memory.u32(CONTEXT + RESULT_STATUS)
  const aside = gas > MAX_GAS && status !== STATUS_HALT ? gas - MAX_GAS : 0n
  const output = memory.copy(memory.u32(CONTEXT + RESULT_OUTPUT), memory.u32(CONTEXT + RESULT_OUTPUT_LENGTH))
  const gasLeft = memory.i64(CONTEXT + RESULT_GAS) + aside
  if (status === STATUS_RETURN) {
    const created = kind === 'create' ? memory.address(CONTEXT + RESULT_CREATED) : null
    return { status: 'success', gasLeft, output, created, gasRefund: memory.i64(CONTEXT + RESULT_REFUND), error: null }
  }
  const failure = { gasLeft, output, created: null, gasRefund: 0n }
  if (status !== STATUS_HALT) return { ...failure, status: 'revert', error: REVERT_TEXT }
  const opcode = memory.u32(CONTEXT + RESULT_HALT_OPCODE)
  const amount = memory.u32(CONTEXT + RESULT_HALT_AMOUNT)
  const error = haltText({ reason: memory.u32(CONTEXT + RESULT_HALT), opcode, amount, precompileFailure }, fork)
  return { ...failure, status: 'halt', error }
}
