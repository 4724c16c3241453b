/** The Solidity compiler in a process of its own for each input, so that no input affects another, and at a low priority. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import type { StandardInput } from './standard-input.ts'

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

export type CompileOutcome = {
  /** Processor time used. */
  readonly cpuMs: number
} & ({ readonly contract: CompiledContract } | { readonly errors: readonly string[] } | { readonly limit: string })

export interface CompileRequest {
  /** Path of the compiler's module. */
  readonly compiler: string
  readonly input: StandardInput
  readonly file: string
  readonly name: string
  readonly maxCpuMs: number
}

/** The compiler's own memory, which the limits of V8 do not cover. */
const MAX_WASM_BYTES = 256 * 1024 * 1024
/** Sizes of the heap are in MiB, the size of the stack is in KiB. */
const PROCESS_LIMITS = ['--max-old-space-size=256', '--max-semi-space-size=16', '--stack-size=3900']
/** The sequencer and other roles on the machine come first. At 19, the lowest priority, the compiler would not start on a busy machine. */
const NICENESS = 5
const MAX_ERRORS = 5
const MAX_ERROR_LENGTH = 400
const MAX_OUTPUT_LENGTH = 1024 * 1024
/** The answer has the output and the errors, and JSON may need several bytes for each of their characters. */
const MAX_ANSWER_BYTES = 8 * MAX_OUTPUT_LENGTH

/** Text, because a bundle has no file for it. */
const PROGRAM = `
const { Worker } = require('node:worker_threads')
const { readFileSync, writeSync } = require('node:fs')
const { wrapper, compiler, file, name, input, maxCpuMs, maxWasmBytes, maxErrors, maxErrorLength, maxOutputLength } = JSON.parse(readFileSync(0, 'utf8'))
// The compiler blocks the event loop until it ends, so another thread watches the processor time.
new Worker('const { workerData } = require("node:worker_threads"); const pause = new Int32Array(new SharedArrayBuffer(4));' +
  'for (;;) { Atomics.wait(pause, 0, 0, 100); const { user, system } = process.cpuUsage(); if ((user + system) / 1000 < workerData) continue;' +
  'require("node:fs").writeSync(1, JSON.stringify({ limit: "time", cpuMs: workerData })); process.kill(process.pid, "SIGKILL") }',
  { eval: true, workerData: maxCpuMs }).unref()
const grow = WebAssembly.Memory.prototype.grow
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65536 > maxWasmBytes) throw new RangeError('memory limit')
  return grow.call(this, pages)
}
const refuseImport = () => ({ error: 'not among the sources' })
function outcome() {
  const solc = require(wrapper)(require(compiler))
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
const { user, system } = process.cpuUsage()
const bytes = Buffer.from(JSON.stringify({ ...answer, cpuMs: (user + system) / 1000 }))
for (let at = 0; at < bytes.length; ) {
  try { at += writeSync(1, bytes, at) } catch (error) { if (error.code !== 'EAGAIN') throw error }
}
process.exit(0)
`

const OUTPUTS = [
  'abi',
  'metadata',
  ...['object', 'linkReferences'].flatMap((part) => [`evm.bytecode.${part}`, `evm.deployedBytecode.${part}`]),
  'evm.deployedBytecode.immutableReferences',
]

/** Rejects with the signal's reason after the process has ended. */
export async function compileInProcess(
  { compiler, input, file, name, maxCpuMs }: CompileRequest,
  signal: AbortSignal,
): Promise<CompileOutcome> {
  signal.throwIfAborted()
  const settings = { ...input.settings, outputSelection: { [file]: { [name]: OUTPUTS } } }
  const child = spawn(process.execPath, [...PROCESS_LIMITS, '-e', PROGRAM], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  lowerPriority(child.pid)
  const stop = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) stop()
    else chunks.push(chunk)
  })
  // The process may end before it has read its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(
    JSON.stringify({
      wrapper: createRequire(import.meta.url).resolve('solc/wrapper.js'),
      compiler,
      file,
      name,
      input: JSON.stringify({ ...input, settings }),
      maxCpuMs,
      maxWasmBytes: MAX_WASM_BYTES,
      maxErrors: MAX_ERRORS,
      maxErrorLength: MAX_ERROR_LENGTH,
      maxOutputLength: MAX_OUTPUT_LENGTH,
    }),
  )
  try {
    await new Promise<void>((resolve) => child.once('error', () => resolve()).once('close', () => resolve()))
    signal.throwIfAborted()
    return readOutcome(Buffer.concat(chunks).toString(), maxCpuMs)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS)
  } catch {
    // The process has ended, or the system does not allow the change.
  }
}

/** A process that is killed because of its memory writes no answer. */
function readOutcome(text: string, maxCpuMs: number): CompileOutcome {
  try {
    return JSON.parse(text) as CompileOutcome
  } catch {
    return { limit: 'memory', cpuMs: maxCpuMs }
  }
}
