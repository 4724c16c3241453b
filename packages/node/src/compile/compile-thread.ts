/** If this thread dies, hot contracts stay in the interpreter. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { type CodeCompiler, type CompiledCode, type CompileJob, jobKey } from '@keelson/evm'
import type { Logger } from '@keelson/primitives'
import { startThread } from '../start-thread.ts'
import type { CompileResponse, CompilerPort, CompileWorkerData, StoredModules } from './protocol.ts'

export type CompileOutcome = 'compiled' | 'stored' | 'refused'

export interface CompileObserver {
  /** Codes in the queue after a change. */
  waiting(codes: number): void
  finished(outcome: CompileOutcome, stored: StoredModules): void
  died(): void
}

export interface CompileThreadParts {
  readonly start?: () => CompileThreadPort
  readonly observer?: CompileObserver
}

export type CompileThreadPort = Pick<Worker, 'on' | 'postMessage' | 'unref' | 'terminate'>

const ENTRY = { bundled: 'compile-worker.js', source: new URL('./compile-worker.ts', import.meta.url) }
const MAX_WAITING = 32
const MAX_KNOWN = 512
const MAX_DEATHS = 8
const MAX_HEAP_MIB = 256

export class CompileThread implements CodeCompiler {
  readonly #log: Logger
  readonly #start: () => CompileThreadPort
  readonly #observer: CompileObserver | null
  readonly #waiting = new Set<string>()
  /** Null for a refused code; least recently used first. */
  readonly #known = new Map<string, CompiledCode | null>()
  /** Keyed by job. */
  readonly #waitingPorts = new Map<string, MessagePort[]>()
  #finished: CompiledCode[] = []
  #thread: CompileThreadPort | null = null
  #deaths = 0
  #closed = false

  constructor(log: Logger, data: CompileWorkerData, { start, observer }: CompileThreadParts = {}) {
    this.#log = log
    this.#observer = observer ?? null
    this.#start = start ?? (() => startThread(ENTRY, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB } }))
  }

  request(job: CompileJob): boolean {
    const known = this.#known.get(jobKey(job))
    if (known === undefined) return this.#enqueue(job)
    this.#remember(jobKey(job), known)
    if (known !== null) this.#finished.push(known)
    return true
  }

  takeFinished(): readonly CompiledCode[] {
    const finished = this.#finished
    if (finished.length > 0) this.#finished = []
    return finished
  }

  serve(thread: Pick<Worker, 'postMessage'>): void {
    const { port1, port2 } = new MessageChannel()
    port1.on('message', (job: CompileJob) => this.#requestFor(port1, job))
    port1.unref()
    thread.postMessage({ kind: 'compiler', port: port2 } satisfies CompilerPort, [port2])
  }

  async close(): Promise<void> {
    this.#closed = true
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }

  #requestFor(port: MessagePort, job: CompileJob): void {
    const key = jobKey(job)
    const known = this.#known.get(key)
    if (known !== undefined && known !== null) port.postMessage(known)
    else if (known === undefined && this.#enqueue(job)) this.#waitingPorts.set(key, [...(this.#waitingPorts.get(key) ?? []), port])
  }

  #enqueue(job: CompileJob): boolean {
    const key = jobKey(job)
    if (this.#waiting.has(key)) return true
    if (this.#waiting.size >= MAX_WAITING || this.#closed || this.#deaths >= MAX_DEATHS) return false
    this.#thread ??= this.#open()
    this.#waiting.add(key)
    this.#observer?.waiting(this.#waiting.size)
    this.#thread.postMessage(job)
    return true
  }

  #open(): CompileThreadPort {
    const thread = this.#start()
    let failure = 'it ended'
    thread.on('message', (response: CompileResponse) => this.#receive(response))
    thread.on('error', (error: Error) => {
      failure = error.message
    })
    thread.on('exit', () => this.#ended(thread, failure))
    // Last, because listening to messages keeps the process alive.
    thread.unref()
    return thread
  }

  #receive(response: CompileResponse): void {
    if (response.kind === 'warning') {
      this.#log.warn(response.message)
      return
    }
    const code = response.kind === 'compiled' ? response.code : null
    const key = jobKey(code ?? (response as Extract<CompileResponse, { kind: 'refused' }>).job)
    this.#waiting.delete(key)
    this.#observer?.waiting(this.#waiting.size)
    this.#observer?.finished(response.kind === 'refused' ? 'refused' : response.from, response.stored)
    this.#remember(key, code)
    for (const port of this.#waitingPorts.get(key) ?? []) if (code !== null) port.postMessage(code)
    this.#waitingPorts.delete(key)
    if (code !== null) this.#finished.push(code)
  }

  #remember(key: string, code: CompiledCode | null): void {
    this.#known.delete(key)
    this.#known.set(key, code)
    const oldest = this.#known.keys().next()
    if (this.#known.size > MAX_KNOWN && oldest.done !== true) this.#known.delete(oldest.value)
  }

  /** Refuses the first code that waited, which is likely the cause. */
  #ended(thread: CompileThreadPort, reason: string): void {
    if (this.#thread !== thread) return
    this.#thread = null
    this.#deaths++
    for (const key of [...this.#waiting].slice(0, 1)) this.#remember(key, null)
    this.#waiting.clear()
    this.#observer?.waiting(0)
    this.#observer?.died()
    this.#waitingPorts.clear()
    this.#log.warn('the thread that compiles contracts ended; they run in the interpreter', { reason, deaths: this.#deaths })
  }
}
