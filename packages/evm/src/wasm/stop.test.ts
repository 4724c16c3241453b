import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { createPureCrypto, hexToBytes } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, CONTRACT } from '../../../../test/support/evm-world.ts'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { createMemoryView } from '../memory-view.ts'
import type { EvmTracer } from '../tracer.ts'
import { createWasmEngine } from './wasm-engine.ts'

const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED })
const GAS = 2_000_000_000n
/** JUMPDEST PUSH0 JUMP */
const LOOP = hexToBytes('0x5b5f56')
const RECURSION = hexToBytes(`0x${'5f5f5f5f5f305af150'.repeat(200)}`)

function run(code: Uint8Array, tracer: EvmTracer) {
  const session = engine.open(createMemoryView([{ address: CONTRACT, code }]), TEST_ENV, l1ForkRules('osaka'), { tracer })
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [ALICE, CONTRACT], accessList: [] })
  return session.call({ kind: 'call', from: ALICE, to: CONTRACT, valueWei: 0n, data: new Uint8Array(0), gas: GAS })
}

describe('a stop of the WASM engine', () => {
  for (const [name, code] of [
    ['an endless loop', LOOP],
    ['a recursion without jumps', RECURSION],
  ] as const) {
    it(`ends ${name}, and the next call is not affected`, async () => {
      let asked = 0
      assert.throws(() => run(code, { stop: () => ++asked === 3 }), { code: 'evm/interrupted' })
      assert.equal(asked, 3)
      const result = await run(hexToBytes('0x60016000526001601ff3'), { stop: () => false })
      assert.deepEqual([result.status, result.output], ['success', Uint8Array.of(1)])
    })
  }

  it('ends a call while its steps are traced', () => {
    let steps = 0
    assert.throws(() => run(LOOP, { step: () => void steps++, stop: () => steps > 1_000 }), { code: 'evm/interrupted' })
    assert.ok(steps < 2_000, `${steps} steps`)
  })

  it('passes on what stop throws', () => {
    const stop = () => {
      throw new RangeError('gone')
    }
    assert.throws(() => run(LOOP, { stop }), RangeError)
  })
})
