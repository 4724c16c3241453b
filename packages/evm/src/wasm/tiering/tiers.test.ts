import assert from 'node:assert/strict'
import { type BlockRules, l1ForkRules, opcodesOf } from '@keelson/chainspec'
import { createPureCrypto } from '@keelson/primitives'
import { CALLER, TEST_ENV } from '../../../../../test/support/evm-call.ts'
import { eagerTiers, TEST_HASH_SEED } from '../../../../../test/support/test-engine.ts'
import { createMemoryView } from '../../memory-view.ts'
import type { EvmEngine } from '../../ports.ts'
import { createWasmEngine } from '../wasm-engine.ts'
import { CALLEE, Random, randomProgram } from './random-program.test-support.ts'

const PROGRAMS = 150
const TARGET = new Uint8Array(20).fill(0xaa)
const word = (value: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? value : 0))

function engine(parts: object): EvmEngine {
  return createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED, ...parts })
}

const ENGINES = {
  interpreted: engine({}),
  compiled: engine({ tiers: eagerTiers() }),
  mixed: engine({ tiers: eagerTiers((codeHash) => Number.parseInt(codeHash.slice(-1), 16) % 2 === 0) }),
  crowded: engine({ tiers: { ...eagerTiers(), maxFunctions: 2 } }),
}

interface Case {
  readonly rules: BlockRules
  readonly target: Uint8Array
  readonly callee: Uint8Array
  readonly data: Uint8Array
  readonly gas: bigint
}

async function outcome(evm: EvmEngine, { rules, target, callee, data, gas }: Case) {
  const storage = [1, 2].map((slot) => [word(slot), word(7 * slot)] as const)
  const accounts = [
    { address: TARGET, code: target, balanceWei: 5n, nonce: 1n, storage },
    { address: CALLEE, code: callee, balanceWei: 5n, nonce: 1n },
  ]
  const session = evm.open(createMemoryView(accounts), TEST_ENV, rules)
  session.beginTx({ origin: CALLER, gasPriceWei: 9n, blobVersionedHashes: [word(3)], warmAddresses: [], accessList: [] })
  const result = session.call({ kind: 'call', from: CALLER, to: TARGET, valueWei: 0n, data, gas })
  const accessed = session.accessed()
  const { logs, selfDestructs } = session.endTx()
  // The order of these errors does not matter.
  const error = result.error === 'gas uint64 overflow' ? 'out of gas' : result.error
  return { ...result, error, accessed, logs, selfDestructs, diff: session.takeDiff() }
}

describe('compiled and interpreted code', () => {
  for (const fork of ['frontier', 'byzantium', 'istanbul', 'berlin', 'cancun', 'osaka'] as const) {
    it(`give the same results for random programs under ${fork}, alone and mixed`, async () => {
      const rules = l1ForkRules(fork)
      const isKnown = (opcode: number) => opcodesOf(rules.ethFork).has(opcode)
      let succeeded = 0
      for (let seed = 0; seed < PROGRAMS; seed++) {
        const random = new Random(seed * 6 + fork.length)
        const target = randomProgram(random, isKnown)
        const callee = randomProgram(random, isKnown)
        const data = Uint8Array.from({ length: random.below(140) }, () => random.below(256))
        for (const gas of [1_000_000n, BigInt(random.below(3_000)), BigInt(random.below(60_000))]) {
          const run = { rules, target, callee, data, gas }
          const expected = await outcome(ENGINES.interpreted, run)
          if (expected.status === 'success') succeeded++
          for (const name of ['compiled', 'mixed', 'crowded'] as const) {
            assert.deepEqual(await outcome(ENGINES[name], run), expected, `${name}, program ${seed}, ${gas} gas`)
          }
        }
      }
      assert.ok(succeeded > PROGRAMS / 40, `only ${succeeded} runs succeeded`)
    })
  }
})
