import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { bytesToBigint, createPureCrypto, hexToBytes } from '@keelson/primitives'
import { TEST_ENV } from '../../../../test/support/evm-call.ts'
import { ALICE, CONTRACT, word } from '../../../../test/support/evm-world.ts'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { createMemoryView } from '../memory-view.ts'
import { createWasmEngine } from './wasm-engine.ts'

/** For i from n down to 1: stores i in slot i and reads the balance of account i. Then returns the sum of the n slots. */
const FILL = '6000355b808055803150600190038060035750'
const SUM = '60003560005b8154019060019003908160185760005260206000f3'

describe('the indexes of accounts and slots', () => {
  it('grow and shrink without losing a record', async () => {
    const engine = createWasmEngine({ crypto: createPureCrypto(), hashSeed: TEST_HASH_SEED })
    const view = createMemoryView([{ address: CONTRACT, code: hexToBytes(`0x${FILL}${SUM}`) }])
    const session = engine.open(view, TEST_ENV, l1ForkRules('prague'))
    session.beginTx({ origin: ALICE, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
    for (const count of [5_000n, 10n, 600n, 5_001n]) {
      const { output } = session.call({
        kind: 'call',
        from: ALICE,
        to: CONTRACT,
        valueWei: 0n,
        data: word(count),
        gas: 10n ** 9n,
      })
      assert.equal(bytesToBigint(output), (count * (count + 1n)) / 2n)
    }
  })
})
