import type { MessagePort } from 'node:worker_threads'
import type { CompiledCode, CompileJob } from '@keelson/evm'

export interface CompileWorkerData {
  /** Null to store no modules. */
  readonly directory: string | null
}

export type CompileResponse =
  | { readonly kind: 'compiled'; readonly code: CompiledCode }
  | { readonly kind: 'refused'; readonly job: Pick<CompileJob, 'codeHash' | 'forkKey'> }
  | { readonly kind: 'warning'; readonly message: string }

export interface CompilerPort {
  readonly kind: 'compiler'
  readonly port: MessagePort
}
