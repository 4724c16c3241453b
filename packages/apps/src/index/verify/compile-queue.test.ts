import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import { createRequire } from 'node:module'
import { createManualClock } from '@keelson/runtime'
import { compileInProcess } from './compile-process.ts'
import { createCompileQueue } from './compile-queue.ts'
import { VerifyRefusal } from './verify-refusal.ts'

const FILE = 'A.sol'
const COMPILER = createRequire(import.meta.url).resolve('solc/soljson.js')

describe('the queue of the compiler', function () {
  this.timeout(120_000)
  const compilation = (caller: string, content: string) => ({
    caller,
    compiler: COMPILER,
    file: FILE,
    name: 'A',
    input: { language: 'Solidity', sources: { [FILE]: { content } }, settings: {} } as const,
  })
  const { signal } = new AbortController()

  it('compiles first for whoever used the compiler least, then the smallest, so that few addresses cannot deny it to all', async () => {
    const queue = createCompileQueue(createManualClock())
    const done: string[] = []
    const used: Record<string, number> = {}
    const compile = async (name: string, caller: string, content: string) => {
      const paid = (cpuMs: number) => {
        used[caller] = (used[caller] ?? 0) + cpuMs
      }
      await queue.compile(compilation(caller, content), paid, signal).then(
        () => done.push(name),
        (error) => done.push(error instanceof VerifyRefusal ? name : String(error)),
      )
    }
    await Promise.all([
      compile('greedy', 'a', 'contract A { function f() external {} }'),
      compile('greedy again', 'a', 'x'),
      compile('large', 'b', `x${' '.repeat(500)}`),
      compile('small', 'c', 'x'),
    ])
    assert.deepEqual(done, ['greedy', 'small', 'large', 'greedy again'])
    assert.deepEqual(Object.keys(used), ['a', 'c', 'b'])
    for (const cpuMs of Object.values(used)) assert.ok(cpuMs > 0)
  })

  it('ends a compilation at its processor time, however long its sender waits', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `m${i}`)
    const modifiers = names.map((name) => `modifier ${name}() { x++; _; x--; _; }`)
    // Its code doubles with every modifier; a second ends before its memory does.
    const content = `contract A { uint x; ${modifiers.join(' ')} function f() external ${names.join(' ')} { x += 2; } }`
    const { input, ...what } = compilation('a', content)
    const outcome = await compileInProcess({ ...what, input, maxCpuMs: 1_000 }, signal)
    assert.deepEqual(outcome, { limit: 'time', cpuMs: 1_000 })
  })

  it('has two places for a caller and 32 in all', async () => {
    const queue = createCompileQueue(createManualClock())
    const stop = new AbortController()
    setMaxListeners(0, stop.signal)
    const start = (caller: string) => {
      const running = queue.compile(compilation(caller, 'x'), () => undefined, stop.signal)
      running.catch(() => undefined)
      return running
    }
    const first = start('a')
    const own = [start('a'), start('a')]
    await assert.rejects(start('a'), (error) => error instanceof VerifyRefusal && error.problem === 'busy')
    const others = Array.from({ length: 30 }, (_, i) => start(`b${i}`))
    await assert.rejects(start('c'), (error) => error instanceof VerifyRefusal && error.problem === 'busy')
    stop.abort(new Error('stopped'))
    for (const { status } of await Promise.allSettled([first, ...own, ...others])) assert.equal(status, 'rejected')
  })
})
