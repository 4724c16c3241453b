import { FRAME_GAS, FRAME_SP, FRAME_STACK, OPCODE_GAS, OPCODE_NEEDS, OPCODE_TABLE } from '../../src/wasm/layout'
import { traceStep } from '../host'
import { dynamicGas } from './trace-price'

export function reportStep(frame: usize, opcode: u32): void {
  const entry = OPCODE_TABLE + (<usize>opcode << 3)
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const fixed = <i64>load<u32>(entry, OPCODE_GAS)
  const hasOperands = <u32>(sp - <usize>load<u32>(frame, FRAME_STACK)) >= <u32>load<u16>(entry, OPCODE_NEEDS)
  const cost = hasOperands ? fixed + dynamicGas(frame, opcode, sp, load<i64>(frame, FRAME_GAS) - fixed) : fixed
  traceStep(frame, opcode, cost)
}
