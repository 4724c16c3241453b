import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToHex, concatBytes, hexToBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, BOB, CONTRACT, engine } from '../../../../test/support/evm-world.ts'
import { createMemoryView } from '../memory-view.ts'
import type { EvmTracer } from '../tracer.ts'

const CANCUN = l1ForkRules('cancun')
const WATCHER: EvmTracer = { step: () => undefined }

async function run(code: Uint8Array, gas: bigint, tracer: EvmTracer | null, data: Uint8Array = new Uint8Array(0)) {
  const view = createMemoryView([
    { address: CONTRACT, code },
    { address: BOB, code: hexToBytes('0x60045f5260205ff3') },
  ])
  const session = engine.open(view, TEST_ENV, CANCUN, { tracer })
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  const { status, gasLeft, output } = session.call({ kind: 'call', from: ALICE, to: CONTRACT, valueWei: 0n, data, gas })
  session.endTx()
  return { status, gasLeft, output: bytesToHex(output), diff: bytesToHex(session.takeDiff()) }
}

async function same(code: Uint8Array, gas: bigint, data?: Uint8Array): Promise<void> {
  assert.deepEqual(await run(code, gas, null, data), await run(code, gas, WATCHER, data), bytesToHex(code))
}

describe('runs without a tracer', () => {
  const small = fc.integer({ min: 0, max: 255 }).map((value) => Uint8Array.of(0x60, value))
  const wide = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((value) => concatBytes(Uint8Array.of(0x7f), value))
  const cut = fc.integer({ min: 0x61, max: 0x7e }).map((opcode) => Uint8Array.of(opcode, 1, 2))
  const operation = fc
    .oneof(
      fc.integer({ min: 0x01, max: 0x20 }),
      fc.integer({ min: 0x30, max: 0x5f }),
      fc.integer({ min: 0x80, max: 0x9f }),
      fc.constantFrom(0x5b, 0x5b, 0x56, 0x57, 0x51, 0x52, 0x53, 0x5e, 0x5a, 0x5c, 0x5d, 0x00, 0xf3, 0xfd, 0xfe, 0x0c, 0xa1),
    )
    .map((opcode) => Uint8Array.of(opcode))
  const call = fc.constant(hexToBytes(`0x60205f5f5f5f73${bytesToHex(BOB).slice(2)}612710f1`))
  const program = fc.array(fc.oneof({ weight: 6, arbitrary: small }, wide, cut, call, { weight: 8, arbitrary: operation }), {
    maxLength: 60,
  })

  it('match traced runs in gas, output and state for any code', async () => {
    await fc.assert(
      fc.asyncProperty(program, fc.integer({ min: 0, max: 60_000 }), fc.uint8Array({ maxLength: 40 }), (parts, gas, data) =>
        same(concatBytes(...parts), BigInt(gas), data),
      ),
      { numRuns: 300 },
    )
  })

  it('run out of gas at the exact operation, in loops, growing memory and copies', async () => {
    const loop = hexToBytes('0x5f5b806020018080525f90602090815e56')
    const counting = hexToBytes('0x5f5b600101806103e81060025700')
    const growing = hexToBytes('0x5f5b8080526020018080519050600256')
    for (const code of [loop, counting, growing]) for (let gas = 0n; gas < 300n; gas += 3n) await same(code, gas)
    await same(counting, 100_000n)
    await same(growing, 3_000_000n)
  })

  it('report the same gas, position and memory size as traced runs', async () => {
    for (const code of ['5a5a5a5f5260205ff3', '586058525958015f5260405ff3', '60015a525a59015f5260205ff3'])
      await same(hexToBytes(`0x${code}`), 100_000n)
  })

  it('jump only to a JUMPDEST outside of push data', async () => {
    for (const code of ['600456005b00', '6003565b00', '600556605b00', '60ff56', `7f${'ff'.repeat(32)}56`, '60016005575b00'])
      await same(hexToBytes(`0x${code}`), 1_000n)
  })

  it('fail for an empty stack where code starts with a jump or a copy', async () => {
    for (const code of ['56', '57', '5e', '565b', '5e00']) {
      await same(hexToBytes(`0x${code}`), 1_000n)
      assert.equal((await run(hexToBytes(`0x${code}`), 1_000n, null)).status, 'halt')
    }
  })

  it('end in an unaffordable revert without reading its data, traced or not', async () => {
    for (const length of ['63ffffffff', '65ffffffffffff', `7f${'ff'.repeat(32)}`]) await same(hexToBytes(`0x${length}5ffd`), 100_000n)
  })

  it('copy from code and data, zero-padded', async () => {
    for (const opcode of ['37', '39'])
      for (const range of ['60206000600a', '603f60056003', '60ff61ffff6000', '6000600060ff', `60207f${'ff'.repeat(32)}6000`])
        await same(hexToBytes(`0x${range}${opcode}60805ff3`), 100_000n, hexToBytes('0x0102030405060708090a'))
    await same(hexToBytes(`0x60206002600073${bytesToHex(BOB).slice(2)}3c60205ff3`), 100_000n)
  })
})
