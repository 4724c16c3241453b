import type { Hex } from '@keelson/primitives'

/** A `WebAssembly.Module`, which threads may share. */
export type CompiledModule = object

export interface CompileJob {
  readonly codeHash: Hex
  /** Names the gas schedule. */
  readonly forkKey: string
  readonly code: Uint8Array
  /** Layout: OPCODE_TABLE. */
  readonly opcodeTable: Uint8Array
}

export interface CompiledCode {
  readonly codeHash: Hex
  readonly forkKey: string
  readonly module: CompiledModule
  readonly jumpTableBytes: number
}

/** Execution never waits for it. */
export interface CodeCompiler {
  /** False when the queue is full. Drops refused code. */
  request(job: CompileJob): boolean
  takeFinished(): readonly CompiledCode[]
}

export const jobKey = ({ codeHash, forkKey }: Pick<CompileJob, 'codeHash' | 'forkKey'>): string => `${codeHash}-${forkKey}`
