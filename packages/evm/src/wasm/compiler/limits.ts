/** Code beyond these limits is interpreted. */
export interface CompileLimits {
  readonly maxCodeBytes: number
  readonly maxBlocks: number
  /** Size of the emitted function. */
  readonly maxEmittedBytes: number
}

export const COMPILE_LIMITS: CompileLimits = { maxCodeBytes: 0x8000, maxBlocks: 2048, maxEmittedBytes: 0x140000 }

export type CompileRefusal = 'code-too-large' | 'too-many-blocks' | 'output-too-large'
