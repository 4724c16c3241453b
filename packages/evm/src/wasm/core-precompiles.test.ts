import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { l1ForkRules } from '@keelson/chainspec'
import { type Bytes20, bigintToBytes, createPureCrypto } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, BOB } from '../../../../test/support/evm-world.ts'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { createMemoryView } from '../memory-view.ts'
import type { CallResult, SessionOptions } from '../ports.ts'
import type { EvmTracer } from '../tracer.ts'
import { createWasmEngine } from './wasm-engine.ts'

const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED })
const GAS = 100_000n
const precompileAt = (number: number): Bytes20 => bigintToBytes(BigInt(number), 20)
const SHA256 = precompileAt(2)
const IDENTITY = precompileAt(4)

async function call(to: Bytes20, data: Uint8Array, gas = GAS, options: SessionOptions = {}): Promise<CallResult> {
  const session = engine.open(createMemoryView([]), TEST_ENV, l1ForkRules('prague'), options)
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [ALICE], accessList: [] })
  return session.call({ kind: 'call', from: ALICE, to, valueWei: 0n, data, gas })
}

const sha256 = (data: Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest())
const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 29 + length) & 0xff)
const words = (length: number) => BigInt(Math.ceil(length / 32))

describe('precompiles in the WASM core', () => {
  it('hash and copy inputs of any length at their price', async () => {
    for (const length of [0, 1, 31, 32, 33, 55, 56, 63, 64, 65, 119, 120, 128, 183, 184, 255, 256, 257, 320, 1000]) {
      const data = bytes(length)
      const hashed = await call(SHA256, data)
      assert.deepEqual([hashed.status, hashed.gasLeft, hashed.output], ['success', GAS - 60n - 12n * words(length), sha256(data)])
      const copied = await call(IDENTITY, data)
      assert.deepEqual([copied.status, copied.gasLeft, copied.output], ['success', GAS - 15n - 3n * words(length), data])
    }
  })

  it('fail without a hash when the gas is one short', async () => {
    for (const [to, price] of [
      [SHA256, 84n],
      [IDENTITY, 21n],
    ] as const) {
      assert.equal((await call(to, bytes(64), price)).status, 'success')
      const short = await call(to, bytes(64), price - 1n)
      assert.deepEqual([short.status, short.gasLeft, short.output.length], ['halt', 0n, 0])
    }
  })

  it('answer at the address they were moved to, and no more at their own', async () => {
    const options = {
      precompileChanges: {
        removed: [SHA256, IDENTITY],
        moved: [
          { from: SHA256, to: BOB },
          { from: IDENTITY, to: SHA256 },
        ],
      },
    }
    const data = bytes(64)
    assert.deepEqual((await call(BOB, data, GAS, options)).output, sha256(data))
    assert.deepEqual((await call(SHA256, data, GAS, options)).output, data)
    assert.deepEqual((await call(IDENTITY, data, GAS, options)).output, new Uint8Array(0))
  })

  it('are reported to a tracer as calls', async () => {
    const seen: unknown[] = []
    const tracer: EvmTracer = {
      enter: ({ to, input, gas }) => void seen.push([to, input, gas]),
      exit: ({ gasUsed, output }) => void seen.push([gasUsed, output]),
    }
    await call(SHA256, bytes(64), GAS, { tracer })
    assert.deepEqual(seen, [
      [SHA256, bytes(64), GAS],
      [84n, sha256(bytes(64))],
    ])
  })
})
