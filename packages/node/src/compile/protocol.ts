import type { MessagePort } from 'node:worker_threads'
import type { CompiledCode, CompileJob } from '@keelson/evm'

export interface CompileWorkerData {
  /** Null to store no modules. */
  readonly directory: string | null
}

export interface StoredModules {
  readonly modules: number
  readonly bytes: number
}

export type CompileResponse =
  | { readonly kind: 'compiled'; readonly code: CompiledCode; readonly from: 'compiled' | 'stored'; readonly stored: StoredModules }
  | { readonly kind: 'refused'; readonly job: Pick<CompileJob, 'codeHash' | 'forkKey'>; readonly stored: StoredModules }
  | { readonly kind: 'warning'; readonly message: string }

export interface CompilerPort {
  readonly kind: 'compiler'
  readonly port: MessagePort
}
