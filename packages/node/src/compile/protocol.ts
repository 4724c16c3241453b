/** Messages between a thread that executes and the thread that compiles. */
import type { MessagePort } from 'node:worker_threads'
import type { CompiledCode, CompileJob } from '@keelson/evm'

export interface CompileWorkerData {
  /** Folder of stored modules, or null to store none. */
  readonly directory: string | null
}

export type CompileResponse =
  | { readonly kind: 'compiled'; readonly code: CompiledCode }
  | { readonly kind: 'refused'; readonly job: Pick<CompileJob, 'codeHash' | 'forkKey'> }
  | { readonly kind: 'warning'; readonly message: string }

/** A thread that executes sends jobs to the port and receives compiled code. */
export interface CompilerPort {
  readonly kind: 'compiler'
  readonly port: MessagePort
}
