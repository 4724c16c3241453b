/** The library pads byte by byte: a large empty copy takes minutes. */
import type { EVM } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { bigintToBytes } from '@keelson/primitives'
import { type OperationHandler, operationsOf, type RunState } from './engine-internals.ts'

const CALLDATACOPY = 0x37
const CODECOPY = 0x39
const EXTCODECOPY = 0x3c
const ADDRESS_MASK = (1n << 160n) - 1n

export function useOwnCopies(evm: EVM): void {
  const operations = operationsOf(evm)
  const use = (opcode: number, handler: OperationHandler) => {
    const operation = operations[opcode]
    if (operation !== undefined) operation.opHandler = handler
  }
  use(CALLDATACOPY, (state) => copy(state, state.interpreter.getCallData(), state.stack.popN(3)))
  use(CODECOPY, (state) => copy(state, state.interpreter.getCode(), state.stack.popN(3)))
  use(EXTCODECOPY, async (state) => {
    const [address, ...range] = state.stack.popN(4) as [bigint, ...bigint[]]
    if (range[2] === 0n) return
    copy(state, await state.stateManager.getCode(new Address(bigintToBytes(address & ADDRESS_MASK, 20))), range)
  })
}

function copy({ memory }: RunState, source: Uint8Array, range: readonly bigint[]): void {
  const [to, from, length] = range as [bigint, bigint, bigint]
  if (length === 0n) return
  const size = Number(length)
  const start = from > BigInt(source.length) ? source.length : Number(from)
  const data = source.subarray(start, start + size)
  const padded = data.length === size ? data : new Uint8Array(size)
  if (padded !== data) padded.set(data)
  memory.write(Number(to), size, padded)
}
