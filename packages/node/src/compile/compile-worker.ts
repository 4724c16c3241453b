import { setPriority } from 'node:os'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type CompileJob, compile, compilerFingerprint, ForkCosts, jobKey } from '@keelson/evm'
import { ModuleStore, type StoredModule } from './module-store.ts'
import type { CompileResponse, CompileWorkerData } from './protocol.ts'

declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

const NICENESS = 19
const VERSION_CHARACTERS = 18

const main = parentPort
if (main === null) throw new Error('this file is the entry of a worker thread')
const { directory } = workerData as CompileWorkerData
const warn = (message: string) => main.postMessage({ kind: 'warning', message } satisfies CompileResponse)
const store = openStore()

function openStore(): ModuleStore | null {
  if (directory === null) return null
  try {
    return new ModuleStore(directory, compilerFingerprint().slice(0, VERSION_CHARACTERS), warn)
  } catch (error) {
    warn(`compiled modules are not stored, because ${directory} is not usable: ${(error as Error).message}`)
    return null
  }
}

function compiledBytes(job: CompileJob): StoredModule | null {
  const result = compile(job.code, new ForkCosts(job.opcodeTable))
  if (result.kind === 'refused') return null
  store?.write(jobKey(job), result)
  return result
}

function answer(job: CompileJob): CompileResponse {
  const { codeHash, forkKey } = job
  const known = store?.read(jobKey(job)) ?? null
  const found = known ?? compiledBytes(job)
  const stored = store?.use ?? { modules: 0, bytes: 0 }
  if (found === null) return { kind: 'refused', job: { codeHash, forkKey }, stored }
  const module = new WebAssembly.Module(found.bytes)
  const code = { codeHash, forkKey, module, jumpTableBytes: found.jumpTableBytes }
  return { kind: 'compiled', code, from: known === null ? 'compiled' : 'stored', stored }
}

function serve(port: Pick<MessagePort, 'on' | 'postMessage'>): void {
  port.on('message', (job: CompileJob) => port.postMessage(answer(job)))
}

serve(main)
// Set last, because loading would then take long; see rpc-worker.ts.
if (process.platform === 'linux') setPriority(0, NICENESS)
