import type { Hex } from '@keelson/primitives'

/** A compiled `WebAssembly.Module`; threads may share it. */
export type CompiledModule = object

export interface CompileJob {
  readonly codeHash: Hex
  /** Names the gas schedule that the compiled code contains. */
  readonly forkKey: string
  readonly code: Uint8Array
  /** Fork table as in `layout.ts`, OPCODE_TABLE. */
  readonly opcodeTable: Uint8Array
}

export interface CompiledCode {
  readonly codeHash: Hex
  readonly forkKey: string
  readonly module: CompiledModule
  readonly jumpTableBytes: number
}

/** Compiles hot code. Execution never waits for it: code runs in the interpreter until its module is there, if it ever is. */
export interface CodeCompiler {
  /** False when the queue is full: the code may become hot again. A code that was refused before is dropped. */
  request(job: CompileJob): boolean
  /** What was finished since the last call. */
  takeFinished(): readonly CompiledCode[]
}

export const jobKey = ({ codeHash, forkKey }: Pick<CompileJob, 'codeHash' | 'forkKey'>): string => `${codeHash}-${forkKey}`
