import { compile } from '../compiler/compile.ts'
import { ForkCosts } from '../compiler/fork-costs.ts'
import { type CodeCompiler, type CompiledCode, type CompileJob, jobKey } from './code-compiler.ts'

declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }

/** For tests and threads without a worker. */
export class SynchronousCompiler implements CodeCompiler {
  readonly #maxModules: number
  readonly #known = new Map<string, CompiledCode | null>()
  #finished: CompiledCode[] = []

  constructor(maxModules = 1024) {
    this.#maxModules = maxModules
  }

  request(job: CompileJob): boolean {
    const key = jobKey(job)
    let compiled = this.#known.get(key)
    if (compiled === undefined) {
      compiled = compiledCode(job)
      const oldest = this.#known.keys().next()
      if (this.#known.size >= this.#maxModules && oldest.done !== true) this.#known.delete(oldest.value)
      this.#known.set(key, compiled)
    }
    if (compiled !== null) this.#finished.push(compiled)
    return true
  }

  takeFinished(): readonly CompiledCode[] {
    const finished = this.#finished
    this.#finished = []
    return finished
  }
}

function compiledCode({ codeHash, forkKey, code, opcodeTable }: CompileJob): CompiledCode | null {
  const result = compile(code, new ForkCosts(opcodeTable))
  if (result.kind === 'refused') return null
  return { codeHash, forkKey, module: new WebAssembly.Module(result.bytes), jumpTableBytes: result.jumpTableBytes }
}
