/** Under a tracer the library reads REVERT data before charging for memory. */
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
