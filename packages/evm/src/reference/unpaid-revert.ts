/**
 * Under a tracer the engine reads the data of a REVERT before it is known whether its memory can be paid for, and would
 * allocate any length that somebody writes on the stack. Where the gas does not suffice, there is nothing to read.
 */
import type { EVM } from '@ethereumjs/evm'
import { operationsOf } from './engine-internals.ts'

const REVERT = 0xfd
const NOTHING = new Uint8Array(0)

export function readOnlyPaidReverts(evm: EVM): void {
  const operation = operationsOf(evm)[REVERT]
  const price = operation?.gasHandler
  if (operation === undefined || price === undefined) return
  operation.gasHandler = async (state, gas, common) => {
    const whole = await price(state, gas, common)
    if (whole > state.gasLeft) state.memory.read = () => NOTHING
    return whole
  }
}
