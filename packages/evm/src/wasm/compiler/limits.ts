/** A code that exceeds one of these stays in the interpreter, so that no contract makes the compiler or V8 work without bound. */
export interface CompileLimits {
  readonly maxCodeBytes: number
  readonly maxBlocks: number
  /** Of the function that is emitted. */
  readonly maxEmittedBytes: number
}

export const COMPILE_LIMITS: CompileLimits = { maxCodeBytes: 0x8000, maxBlocks: 2048, maxEmittedBytes: 0x140000 }

export type CompileRefusal = 'code-too-large' | 'too-many-blocks' | 'output-too-large'
