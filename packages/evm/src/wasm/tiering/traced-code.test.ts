import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { createPureCrypto, hexToBytes } from '@keelson/primitives'
import { CALLER, TEST_ENV } from '../../../../../test/support/evm-call.ts'
import { TEST_HASH_SEED } from '../../../../../test/support/test-engine.ts'
import { createMemoryView } from '../../memory-view.ts'
import type { EvmEngine } from '../../ports.ts'
import type { EvmTracer } from '../../tracer.ts'
import { createWasmEngine } from '../wasm-engine.ts'
import type { CodeCompiler, CompileJob } from './code-compiler.ts'
import { SynchronousCompiler } from './synchronous-compiler.ts'

const TARGET = new Uint8Array(20).fill(0xaa)
const ROUNDS = 50
/** PUSH1 rounds, JUMPDEST, PUSH1 1 SWAP1 SUB DUP1 PUSH1 2 JUMPI; MSTORE(0, 1), RETURN(0, 32) */
const LOOP = hexToBytes(`0x60${ROUNDS.toString(16)}5b6001900380600257600160005260206000f3`)
const STEPS = 1 + 7 * ROUNDS + 3 + 3
/** The same with MSTORE(0, 2), which shows that compiled code ran. */
const STAND_IN = LOOP.with(LOOP.indexOf(0x52) - 3, 2)
const HOT = 3

/** Compiles another code in place of the requested one. */
class StandInCompiler implements CodeCompiler {
  readonly #inner = new SynchronousCompiler()

  request(job: CompileJob): boolean {
    return this.#inner.request({ ...job, code: STAND_IN })
  }

  takeFinished() {
    return this.#inner.takeFinished()
  }
}

function hotEngine(compiler: CodeCompiler): EvmEngine {
  const tiers = { compiler, hotEntries: HOT, mayCompile: () => true, maxFunctions: 8 }
  return createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED, tiers })
}

async function call(engine: EvmEngine, tracer: EvmTracer | null = null) {
  const session = engine.open(createMemoryView([{ address: TARGET, code: LOOP }]), TEST_ENV, l1ForkRules('osaka'), { tracer })
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  return session.call({ kind: 'call', from: CALLER, to: TARGET, valueWei: 0n, data: new Uint8Array(), gas: 100_000n })
}

describe('a tracer and compiled code', () => {
  it('sees every step of code that runs compiled without it, before and after', async () => {
    const engine = hotEngine(new StandInCompiler())
    for (let i = 0; i < 2 * HOT; i++) await call(engine)
    assert.equal((await call(engine)).output.at(-1), 2, 'compiled code runs')
    const opcodes: number[] = []
    const traced = await call(engine, { step: ({ opcode }) => void opcodes.push(opcode) })
    assert.equal(traced.output.at(-1), 1)
    assert.equal(opcodes.length, STEPS)
    assert.equal((await call(engine)).output.at(-1), 2)
  })

  it('sees the frames of code that runs compiled without it', async () => {
    const engine = hotEngine(new StandInCompiler())
    for (let i = 0; i < 2 * HOT; i++) await call(engine)
    let [entered, left] = [0, 0]
    await call(engine, { enter: () => void entered++, exit: () => void left++ })
    assert.deepEqual([entered, left], [1, 1])
  })

  it('changes no result', async () => {
    const engine = hotEngine(new SynchronousCompiler())
    for (let i = 0; i < 2 * HOT; i++) await call(engine)
    assert.deepEqual(await call(engine, { step: () => undefined }), await call(engine))
  })
})
