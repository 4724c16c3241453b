import type { MessagePort } from 'node:worker_threads'
import type { CodeCompiler, CompiledCode, CompileJob } from '@keelson/evm'

export class PortCompiler implements CodeCompiler {
  #port: MessagePort | null = null
  #finished: CompiledCode[] = []

  /** Accepts no job before this call. */
  connect(port: MessagePort): void {
    this.#port = port
    port.on('message', (code: CompiledCode) => this.#finished.push(code))
    port.unref()
  }

  request(job: CompileJob): boolean {
    this.#port?.postMessage(job)
    return this.#port !== null
  }

  takeFinished(): readonly CompiledCode[] {
    const finished = this.#finished
    if (finished.length > 0) this.#finished = []
    return finished
  }
}
