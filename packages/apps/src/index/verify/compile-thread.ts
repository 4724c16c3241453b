/** The Solidity compiler in a worker thread of its own for each input, so that no input affects another. */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { StandardInput } from './standard-input.ts'

/** The version of the package `solc`, as the compiler writes it into metadata. */
export const COMPILER_VERSION = '0.8.37+commit.f401782d'

export interface Reference {
  readonly start: number
  readonly length: number
}

export interface CompiledCode {
  /** Hex without 0x; libraries that are not linked have placeholders. */
  readonly object: string
  /** By file and name. */
  readonly linkReferences: Readonly<Record<string, Readonly<Record<string, readonly Reference[]>>>>
  readonly immutableReferences?: Readonly<Record<string, readonly Reference[]>>
}

export interface CompiledContract {
  readonly version: string
  /** JSON. */
  readonly abi: string
  /** JSON; empty when the compiler made none. */
  readonly metadata: string
  readonly creation: CompiledCode
  readonly runtime: CompiledCode
}

export type CompileOutcome = { readonly contract: CompiledContract } | { readonly errors: readonly string[] } | { readonly limit: string }

/** The compiler's own memory, which the limits of V8 do not cover. */
const MAX_WASM_BYTES = 256 * 1024 * 1024
const THREAD_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const MAX_ERRORS = 5
const MAX_ERROR_LENGTH = 400
const MAX_OUTPUT_LENGTH = 1024 * 1024

/** Text, because a bundle has no file for it. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { entry, file, name, input, maxWasmBytes, maxErrors, maxErrorLength, maxOutputLength } = workerData
const grow = WebAssembly.Memory.prototype.grow
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65536 > maxWasmBytes) throw new RangeError('memory limit')
  return grow.call(this, pages)
}
const refuseImport = () => ({ error: 'not among the sources' })
function outcome() {
  const solc = require(entry)
  const output = JSON.parse(solc.compile(input, { import: refuseImport }))
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.some(({ type, message }) => type === 'Exception' && message.includes('bad_alloc'))) return { limit: 'memory' }
  if (errors.length > 0)
    return { errors: errors.slice(0, maxErrors).map(({ formattedMessage, message }) => (formattedMessage ?? message).slice(0, maxErrorLength)) }
  const found = output.contracts?.[file]?.[name]
  if (found?.evm === undefined) return { errors: ['the sources have no contract ' + name + ' in ' + file] }
  const { bytecode, deployedBytecode } = found.evm
  const contract = {
    version: solc.version(), abi: JSON.stringify(found.abi), metadata: found.metadata,
    creation: { object: bytecode.object, linkReferences: bytecode.linkReferences },
    runtime: {
      object: deployedBytecode.object,
      linkReferences: deployedBytecode.linkReferences,
      immutableReferences: deployedBytecode.immutableReferences,
    },
  }
  return JSON.stringify(contract).length > maxOutputLength ? { limit: 'output' } : { contract }
}
let answer
try {
  answer = outcome()
} catch (error) {
  answer = { limit: 'memory' }
}
parentPort.postMessage(answer)
`

const OUTPUTS = [
  'abi',
  'metadata',
  ...['object', 'linkReferences'].flatMap((part) => [`evm.bytecode.${part}`, `evm.deployedBytecode.${part}`]),
  'evm.deployedBytecode.immutableReferences',
]

/** Rejects with the signal's reason after the thread has ended. */
export async function compileInThread(input: StandardInput, file: string, name: string, signal: AbortSignal): Promise<CompileOutcome> {
  signal.throwIfAborted()
  const settings = { ...input.settings, outputSelection: { [file]: { [name]: OUTPUTS } } }
  const worker = new Worker(THREAD, {
    eval: true,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: THREAD_LIMITS,
    workerData: {
      entry: createRequire(import.meta.url).resolve('solc'),
      file,
      name,
      input: JSON.stringify({ ...input, settings }),
      maxWasmBytes: MAX_WASM_BYTES,
      maxErrors: MAX_ERRORS,
      maxErrorLength: MAX_ERROR_LENGTH,
      maxOutputLength: MAX_OUTPUT_LENGTH,
    },
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const outcome = await new Promise<CompileOutcome>((resolve) => {
      worker.once('message', resolve)
      worker.once('error', () => resolve({ limit: 'memory' }))
      worker.once('exit', () => resolve({ limit: 'memory' }))
    })
    signal.throwIfAborted()
    return outcome
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}
