import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompiledCode, CompileJob } from '@keelson/evm'
import type { Logger } from '@keelson/primitives'
import { createMetrics } from '@keelson/runtime'
import { eventually } from '../../../../test/support/eventually.ts'
import { createCompileMetrics } from './compile-metrics.ts'
import { CompileThread, type CompileThreadPort } from './compile-thread.ts'
import { PortCompiler } from './port-compiler.ts'
import type { CompilerPort } from './protocol.ts'

const warnings: string[] = []
const log = { warn: (message: string) => warnings.push(message) } as unknown as Logger
/** PUSH1 1 PUSH1 2 ADD POP STOP */
const CODE = Uint8Array.of(0x60, 1, 0x60, 2, 0x01, 0x50, 0x00)

function job(number: number, code = CODE): CompileJob {
  return { codeHash: `0x${number.toString(16).padStart(64, '0')}`, forkKey: 'fork', code, opcodeTable: new Uint8Array(2048) }
}

class FakeThread extends EventEmitter {
  readonly posted: CompileJob[] = []
  postMessage(request: CompileJob): void {
    this.posted.push(request)
  }
  unref() {
    return this
  }
  async terminate(): Promise<number> {
    return 0
  }
}

describe('the thread that compiles contracts', () => {
  beforeEach(() => {
    warnings.length = 0
  })

  it('compiles, stores the module, and reads it after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'compile-thread-'))
    try {
      for (let start = 0; start < 2; start++) {
        const compiler = new CompileThread(log, { directory })
        assert.equal(compiler.request(job(1)), true)
        const finished: CompiledCode[] = []
        await eventually('the module', async () => {
          finished.push(...compiler.takeFinished())
          return finished.length === 1
        })
        assert.equal(Object.prototype.toString.call(finished[0]?.module), '[object WebAssembly.Module]')
        await compiler.close()
        const [version] = readdirSync(directory)
        assert.deepEqual(readdirSync(join(directory, version as string)), [`${job(1).codeHash}-fork.kwm`])
      }
      assert.deepEqual(warnings, [])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it('counts what was compiled, read from disk and refused, and the modules on disk', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'compile-thread-'))
    const metrics = createMetrics('node')
    const { thread: observer } = createCompileMetrics(metrics)
    const lines = async () => (await metrics.render()).text.split('\n')
    try {
      for (const outcome of ['compiled', 'stored']) {
        const compiler = new CompileThread(log, { directory }, { observer })
        compiler.request(job(1))
        assert.ok((await lines()).includes('node_compile_waiting_codes 1'))
        await eventually(outcome, async () => (await lines()).includes(`node_compile_results_total{outcome="${outcome}"} 1`))
        await compiler.close()
      }
      const [version] = readdirSync(directory)
      const { size } = statSync(join(directory, version as string, `${job(1).codeHash}-fork.kwm`))
      for (const line of ['node_compile_waiting_codes 0', 'node_compile_store_modules 1', `node_compile_store_bytes ${size}`]) {
        assert.ok((await lines()).includes(line), line)
      }
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it('does not keep the process alive', async () => {
    const before = process.getActiveResourcesInfo().length
    const compiler = new CompileThread(log, { directory: null })
    try {
      compiler.request(job(1))
      assert.equal(process.getActiveResourcesInfo().length, before)
    } finally {
      await compiler.close()
    }
  })

  it('gets a bounded number of jobs, each once', () => {
    const thread = new FakeThread()
    const compiler = new CompileThread(log, { directory: null }, { start: () => thread as unknown as CompileThreadPort })
    const accepted = Array.from({ length: 100 }, (_, i) => compiler.request(job(i)))
    assert.equal(compiler.request(job(0)), true)
    assert.equal(thread.posted.length, accepted.filter((yes) => yes).length)
    assert.ok(thread.posted.length < 100)
  })

  it('gives another thread what it asked for, and what is known already', async () => {
    const thread = new FakeThread()
    const compiler = new CompileThread(log, { directory: null }, { start: () => thread as unknown as CompileThreadPort })
    const others: PortCompiler[] = []
    for (let i = 0; i < 2; i++) {
      const other = new PortCompiler()
      assert.equal(other.request(job(1)), false)
      compiler.serve({ postMessage: ({ port }: CompilerPort) => other.connect(port) })
      others.push(other)
    }
    const [first, second] = others as [PortCompiler, PortCompiler]
    first.request(job(1))
    await eventually('the job', async () => thread.posted.length === 1)
    const { codeHash, forkKey } = job(1)
    thread.emit('message', {
      kind: 'compiled',
      code: { codeHash, forkKey, module: {}, jumpTableBytes: 8 },
      from: 'compiled',
      stored: { modules: 0, bytes: 0 },
    })
    second.request(job(1))
    for (const other of [first, second]) {
      const finished: CompiledCode[] = []
      await eventually('the module', async () => {
        finished.push(...other.takeFinished())
        return finished.length > 0
      })
      assert.deepEqual(finished, [{ codeHash, forkKey, module: {}, jumpTableBytes: 8 }])
    }
    assert.equal(thread.posted.length, 1)
  })

  it('is not asked again for a code that was refused', () => {
    const thread = new FakeThread()
    const compiler = new CompileThread(log, { directory: null }, { start: () => thread as unknown as CompileThreadPort })
    compiler.request(job(1))
    thread.emit('message', { kind: 'refused', job: job(1), stored: { modules: 0, bytes: 0 } })
    assert.equal(compiler.request(job(1)), true)
    assert.equal(thread.posted.length, 1)
    assert.deepEqual(compiler.takeFinished(), [])
  })

  it('is replaced when it ends, without the job that it failed at, and not for ever', () => {
    const threads: FakeThread[] = []
    const start = () => {
      threads.push(new FakeThread())
      return threads.at(-1) as unknown as CompileThreadPort
    }
    const compiler = new CompileThread(log, { directory: null }, { start })
    let number = 0
    while (compiler.request(job(number++))) threads.at(-1)?.emit('exit', 1)
    assert.equal(threads.length, warnings.length)
    assert.ok(threads.length > 1 && threads.length < 20)
    assert.equal(compiler.request(job(0)), true)
    assert.equal(threads.flatMap(({ posted }) => posted).filter(({ codeHash }) => codeHash === job(0).codeHash).length, 1)
  })
})
