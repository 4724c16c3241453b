import { l1ForkRules } from '@keelson/chainspec'
import { type CodeCompiler, type CompileJob, createMemoryView, createWasmEngine, SynchronousCompiler } from '@keelson/evm'
import { createPureCrypto } from '@keelson/primitives'
import { TEST_ENV } from './evm-call.ts'
import { ALICE, CONTRACT } from './evm-world.ts'
import { eagerTiers, TEST_HASH_SEED } from './test-engine.ts'

const GAS = 2_000_000_000n

/** Counts the codes that are compiled, not refused. */
export class CountingCompiler implements CodeCompiler {
  readonly codes: Uint8Array[] = []
  readonly #inner = new SynchronousCompiler()
  #requested: Uint8Array = new Uint8Array(0)

  request(job: CompileJob): boolean {
    this.#requested = job.code
    return this.#inner.request(job)
  }

  takeFinished() {
    const finished = this.#inner.takeFinished()
    for (const _ of finished) this.codes.push(this.#requested)
    return finished
  }
}

export function compilingEngine() {
  const compiler = new CountingCompiler()
  const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED, tiers: { ...eagerTiers(), compiler } })
  return { engine, compiler }
}

type Compiling = ReturnType<typeof compilingEngine>['engine']

export function runCode(engine: Compiling, code: Uint8Array, { stop = (): boolean => false, address = CONTRACT, gas = GAS } = {}) {
  const session = engine.open(createMemoryView([{ address, code, nonce: 1n }]), TEST_ENV, l1ForkRules('osaka'), {
    tracer: { stop },
    unlimitedCodeSize: true,
  })
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [ALICE, address], accessList: [] })
  return session.call({ kind: 'call', from: ALICE, to: address, valueWei: 0n, data: new Uint8Array(0), gas })
}
