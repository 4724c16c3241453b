/** Messages between a thread that executes and the thread that compiles. */
import type { CompiledCode, CompileJob } from '@keelson/evm'

export interface CompileWorkerData {
  /** Folder of stored modules, or null to store none. */
  readonly directory: string | null
}

export type CompileResponse =
  | { readonly kind: 'compiled'; readonly code: CompiledCode }
  | { readonly kind: 'refused'; readonly job: Pick<CompileJob, 'codeHash' | 'forkKey'> }
  | { readonly kind: 'warning'; readonly message: string }
