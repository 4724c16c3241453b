/** The library's step events make execution five times as slow. */
import type { EVM } from '@ethereumjs/evm'

const JUMP = 0x56
const JUMPI = 0x57
const CREATE = 0xf0
const CALL = 0xf1
const CALLCODE = 0xf2
const DELEGATECALL = 0xf4
const CREATE2 = 0xf5
const STATICCALL = 0xfa
const PAUSE_POINTS = [JUMP, JUMPI, CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL]

interface Operation {
  readonly opcodeInfo: { readonly isAsync: boolean; readonly isInvalid: boolean }
  readonly opHandler: (...args: readonly unknown[]) => unknown
  readonly gasHandler: unknown
}

export function attachPausePoints(evm: EVM, pause: () => Promise<void> | null): () => void {
  const operations = (evm as unknown as { readonly _opcodeMap: Operation[] })._opcodeMap
  const before = PAUSE_POINTS.map((opcode) => operations[opcode] as Operation)
  for (const [i, operation] of before.entries()) {
    const { opcodeInfo, opHandler, gasHandler } = operation
    if (opcodeInfo.isInvalid) continue
    const pausing = (...args: readonly unknown[]) => {
      const held = pause()
      return held === null ? opHandler(...args) : held.then(() => opHandler(...args))
    }
    operations[PAUSE_POINTS[i] as number] = { opcodeInfo: { ...opcodeInfo, isAsync: true }, opHandler: pausing, gasHandler }
  }
  return () => {
    for (const [i, operation] of before.entries()) operations[PAUSE_POINTS[i] as number] = operation
  }
}
