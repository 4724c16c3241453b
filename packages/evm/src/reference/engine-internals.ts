import type { EVM } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'

export interface EngineMemory {
  _store: Uint8Array
  read(offset: number, size: number, withoutCopy?: boolean): Uint8Array
  write(offset: number, size: number, value: Uint8Array): void
}

export interface RunState {
  programCounter: number
  opCode: number
  readonly code: Uint8Array
  readonly stack: {
    push(value: bigint): void
    pop(): bigint
    popN(count: number): bigint[]
    peek(count: number): bigint[]
    dup(position: number): void
    swap(position: number): void
  }
  readonly memory: EngineMemory
  memoryWordCount: bigint
  highestMemCost: bigint
  gasLeft: bigint
  validJumps: Uint8Array
  cachedPushes: Record<number, bigint | undefined>
  shouldDoJumpAnalysis: boolean
  readonly stateManager: { getCode(address: Address): Uint8Array | Promise<Uint8Array> }
  readonly interpreter: { getCallData(): Uint8Array; getCode(): Uint8Array }
}

export type OperationHandler = (state: RunState, common: EVM['common']) => void | Promise<void>

export interface Operation {
  readonly opcodeInfo: {
    readonly code: number
    readonly fee: number
    readonly isAsync: boolean
    readonly dynamicGas: boolean
    readonly isInvalid: boolean
  }
  opHandler: OperationHandler
  gasHandler?: (state: RunState, gas: bigint, common: EVM['common']) => Promise<bigint>
}

/** Undefined opcodes share the entry of INVALID. */
export function operationsOf(evm: EVM): Operation[] {
  return (evm as unknown as { readonly _opcodeMap: Operation[] })._opcodeMap
}
