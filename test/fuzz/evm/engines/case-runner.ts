import type { EvmTracer } from '@keelson/evm'
import type { EvmCase } from '../evm-case.ts'
import type { Outcome } from '../outcome.ts'

export interface RunCaseOptions {
  readonly trace?: boolean
  readonly tracer?: EvmTracer | null
}

export interface CaseRunner {
  readonly name: string
  /** True if `RunCaseOptions` may have a tracer, which may change how the engine executes. */
  readonly takesTracer?: boolean
  /** False when this engine lacks the chain or a feature. */
  runs(subject: EvmCase): boolean
  run(subject: EvmCase, options?: RunCaseOptions): Promise<Outcome>
  close?(): Promise<void>
}
