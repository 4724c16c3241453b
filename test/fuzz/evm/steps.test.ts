import assert from 'node:assert/strict'
import { compareTraces, type Step, StepLog } from './steps.ts'

const STOP: Step = { depth: 1, pc: 0, opcode: 0, gasLeft: 1n, stack: [], gasCost: null, gasRefund: null, memory: null }
const JUMPDEST: Step = { ...STOP, depth: 0, opcode: 0x5b }
const MORE_THAN_KEPT = 30_000

function traceOf(steps: readonly Step[]): string[] {
  const log = new StepLog()
  for (const step of steps) log.add(step)
  return log.take()
}

describe('traces of the fuzzer', () => {
  it('are equal when one engine leaves out a STOP and both are cut off', () => {
    const rest = Array.from({ length: MORE_THAN_KEPT }, () => JUMPDEST)
    assert.deepEqual(compareTraces(traceOf([JUMPDEST, STOP, ...rest]), traceOf([JUMPDEST, ...rest])), [])
  })

  it('differ when one of them ends early', () => {
    assert.equal(compareTraces(traceOf([JUMPDEST, JUMPDEST]), traceOf([JUMPDEST])).length, 1)
  })
})
