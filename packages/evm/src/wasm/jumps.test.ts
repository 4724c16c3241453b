import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { createPureCrypto } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, CONTRACT } from '../../../../test/support/evm-world.ts'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { createMemoryView } from '../memory-view.ts'
import { createWasmEngine } from './wasm-engine.ts'

const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED })
const PUSH2 = 0x61
const JUMP = 0x56
const JUMPDEST = 0x5b
const PUSH1 = 0x60

function jumpTo(destination: number, code: Uint8Array): Uint8Array {
  code.set([PUSH2, destination >> 8, destination & 0xff, JUMP])
  return code
}

async function statusOf(code: Uint8Array): Promise<string> {
  const session = engine.open(createMemoryView([{ address: CONTRACT, code }]), TEST_ENV, l1ForkRules('osaka'))
  session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
  return session.call({ kind: 'call', from: ALICE, to: CONTRACT, valueWei: 0n, data: new Uint8Array(0), gas: 100_000n }).status
}

describe('jumps of the WASM engine', () => {
  it('reach a JUMPDEST wherever it is, and nothing behind a PUSH', async () => {
    for (let bytes = 1; bytes <= 32; bytes++) {
      for (const push of [30, 31, 32, 61, 62, 63, 64, 95, 96, 127]) {
        const code = () => {
          const filled = new Uint8Array(300).fill(JUMPDEST)
          filled[push] = PUSH1 + bytes - 1
          return filled
        }
        const expected = [push - 1, push, push + 1, push + bytes, push + bytes + 1].map((at) => at < push || at > push + bytes)
        const found: boolean[] = []
        for (const at of [push - 1, push, push + 1, push + bytes, push + bytes + 1]) {
          found.push((await statusOf(jumpTo(at, code()))) === 'success')
        }
        assert.deepEqual(found, expected, `PUSH${bytes} at ${push}`)
      }
    }
  })

  it('do not leave the code, even where a PUSH at its end lacks data', async () => {
    for (const length of [63, 64, 65, 128]) {
      const code = new Uint8Array(length).fill(JUMPDEST)
      code[length - 1] = 0x7f
      assert.equal(await statusOf(jumpTo(length - 2, code.slice())), 'success')
      assert.equal(await statusOf(jumpTo(length, code.slice())), 'halt')
      assert.equal(await statusOf(jumpTo(0xffff, code.slice())), 'halt')
    }
  })
})
