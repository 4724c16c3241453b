/** Hands the engine's events to an EvmTracer. */
import type { EVM } from '@ethereumjs/evm'
import type { EvmTracer, TraceFrame } from '../tracer.ts'
import { callStatus } from './call-status.ts'

const FRAME_KINDS: Readonly<Record<number, TraceFrame['kind']>> = {
  240: 'create',
  241: 'call',
  242: 'callcode',
  244: 'delegatecall',
  245: 'create2',
  250: 'staticcall',
}

/** Listens until the returned function is called. */
export function attachTracer(evm: EVM, tracer: EvmTracer): () => void {
  // The message does not say which opcode made it; the step before it does.
  let lastOpcode = 0
  evm.events.on('step', (step) => {
    lastOpcode = step.opcode.code
    tracer.step?.({
      pc: step.pc,
      opcode: step.opcode.code,
      opcodeName: step.opcode.name,
      gasLeft: step.gasLeft,
      gasCost: step.opcode.dynamicFee ?? BigInt(step.opcode.fee),
      gasRefund: step.gasRefund,
      depth: step.depth,
      address: step.address.bytes,
      stack: step.stack,
      memory: step.memory,
    })
  })
  evm.events.on('beforeMessage', (message) => {
    const outer = message.to === undefined ? 'create' : 'call'
    tracer.enter?.({
      kind: message.depth === 0 ? outer : (FRAME_KINDS[lastOpcode] ?? outer),
      depth: message.depth,
      from: message.caller.bytes,
      to: message.to?.bytes ?? null,
      codeAddress: message.to === undefined ? null : message.codeAddress.bytes,
      valueWei: message.value,
      gas: message.gasLimit,
      input: message.data,
    })
  })
  evm.events.on('afterMessage', ({ execResult, createdAddress }) => {
    const status = callStatus(execResult, evm.common.hardfork())
    tracer.exit?.({
      status,
      gasUsed: execResult.executionGasUsed,
      output: execResult.returnValue,
      created: status === 'success' ? (createdAddress?.bytes ?? null) : null,
      error: execResult.exceptionError?.error ?? null,
    })
  })
  return () => {
    evm.events.removeAllListeners('step')
    evm.events.removeAllListeners('beforeMessage')
    evm.events.removeAllListeners('afterMessage')
  }
}
