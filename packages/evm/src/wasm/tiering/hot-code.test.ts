import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { createPureCrypto } from '@keelson/primitives'
import { CALLER, TEST_ENV } from '../../../../../test/support/evm-call.ts'
import { TEST_HASH_SEED } from '../../../../../test/support/test-engine.ts'
import { createMemoryView } from '../../memory-view.ts'
import type { EvmEngine } from '../../ports.ts'
import { createWasmEngine } from '../wasm-engine.ts'
import type { CodeCompiler, CompileJob } from './code-compiler.ts'
import { JumpTableSpace } from './jump-table-space.ts'
import { SynchronousCompiler } from './synchronous-compiler.ts'
import type { TierObserver } from './tier-observer.ts'

const TARGET = new Uint8Array(20).fill(0xaa)
const CODE = Uint8Array.from([0x43, 0x60, 1, 0x01, 0x80, 0x60, 0, 0x55, 0x60, 0, 0x52, 0x60, 32, 0x60, 0, 0xf3])
const HOT = 5

class RecordingCompiler implements CodeCompiler {
  readonly jobs: CompileJob[] = []
  readonly #inner = new SynchronousCompiler()
  isFull = false

  request(job: CompileJob): boolean {
    if (this.isFull) return false
    this.jobs.push(job)
    return this.#inner.request(job)
  }

  takeFinished() {
    return this.#inner.takeFinished()
  }
}

function hotEngine(compiler: CodeCompiler, maxFunctions = 8, observer: TierObserver | null = null): EvmEngine {
  const tiers = { compiler, hotEntries: HOT, mayCompile: () => true, maxFunctions, ...(observer === null ? {} : { observer }) }
  return createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED, tiers })
}

async function call(engine: EvmEngine, code = CODE, fork: 'berlin' | 'istanbul' = 'berlin', gas = 100_000n) {
  const session = engine.open(createMemoryView([{ address: TARGET, code }]), TEST_ENV, l1ForkRules(fork))
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  return session.call({ kind: 'call', from: CALLER, to: TARGET, valueWei: 0n, data: new Uint8Array(), gas })
}

describe('hot code', () => {
  it('is requested once, when it was entered often enough, and gives the same result afterwards', async () => {
    const compiler = new RecordingCompiler()
    const engine = hotEngine(compiler)
    const first = await call(engine)
    for (let i = 1; i < HOT - 1; i++) await call(engine)
    assert.equal(compiler.jobs.length, 0)
    for (let i = 0; i < 3 * HOT; i++) assert.deepEqual(await call(engine), first)
    assert.deepEqual(
      compiler.jobs.map(({ code }) => code),
      [CODE],
    )
  })

  it('is compiled for each gas schedule', async () => {
    const compiler = new RecordingCompiler()
    const engine = hotEngine(compiler)
    const expected = { berlin: await call(engine, CODE, 'berlin'), istanbul: await call(engine, CODE, 'istanbul') }
    assert.notEqual(expected.berlin.gasLeft, expected.istanbul.gasLeft)
    for (const fork of ['berlin', 'istanbul', 'berlin', 'istanbul'] as const) {
      for (let i = 0; i < 2 * HOT; i++) assert.deepEqual(await call(engine, CODE, fork), expected[fork])
    }
    assert.equal(new Set(compiler.jobs.map(({ forkKey }) => forkKey)).size, 2)
  })

  it('is requested again when the queue was full', async () => {
    const compiler = new RecordingCompiler()
    const engine = hotEngine(compiler)
    compiler.isFull = true
    for (let i = 0; i < HOT; i++) await call(engine)
    compiler.isFull = false
    for (let i = 0; i < HOT; i++) await call(engine)
    assert.equal(compiler.jobs.length, 1)
  })

  it('gives way to other hot code when there is no room, with the same results', async () => {
    const compiler = new RecordingCompiler()
    const engine = hotEngine(compiler, 2)
    const codes = Array.from({ length: 6 }, (_, i) => Uint8Array.from([...CODE, i]))
    const expected = await call(hotEngine(new RecordingCompiler()))
    for (let round = 0; round < 3; round++) {
      for (const code of codes) for (let i = 0; i < 2 * HOT; i++) assert.deepEqual(await call(engine, code), expected)
    }
    assert.ok(compiler.jobs.length > codes.length)
  })

  it('reports requests, installed and removed functions, and frames that ran out of gas in compiled code', async () => {
    const seen: string[] = []
    const observer: TierObserver = {
      requested: (accepted) => seen.push(`requested ${accepted}`),
      functions: (count) => seen.push(`functions ${count}`),
      evicted: (count) => seen.push(`evicted ${count}`),
      bailedOut: (frames) => seen.push(`bailed ${frames}`),
    }
    const compiler = new RecordingCompiler()
    const engine = hotEngine(compiler, 1, observer)
    compiler.isFull = true
    for (let i = 0; i < HOT; i++) await call(engine)
    compiler.isFull = false
    for (let i = 0; i < 2 * HOT; i++) await call(engine)
    assert.equal((await call(engine, CODE, 'berlin', 3n)).status, 'halt')
    const other = Uint8Array.from([0x5b, ...CODE])
    for (let i = 0; i < 2 * HOT; i++) await call(engine, other)
    assert.deepEqual(seen, [
      'requested false',
      'requested true',
      'functions 1',
      'bailed 1',
      'requested true',
      'evicted 1',
      'functions 0',
      'functions 1',
    ])
  })
})

describe('space for jump tables', () => {
  it('is given out without overlap and joined again when it is freed', () => {
    const space = new JumpTableSpace(1000, 64)
    const first = space.allocate(20)
    const second = space.allocate(9)
    assert.deepEqual([first, second, space.allocate(100)], [1000, 1024, null])
    assert.equal(space.allocate(24), 1040)
    assert.equal(space.allocate(1), null)
    space.free(1000, 20)
    space.free(1040, 24)
    assert.equal(space.allocate(25), null)
    space.free(1024, 9)
    assert.equal(space.allocate(64), 1000)
  })
})
