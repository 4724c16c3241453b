import { traceStep } from '../host'
import { stepCost, stepFailure } from './step-failure'
import { stepRefund } from './step-refund'

export function reportStep(frame: usize, opcode: u32): void {
  const failure = stepFailure(frame, opcode)
  traceStep(frame, opcode, stepCost, stepRefund(frame, opcode), failure)
}
