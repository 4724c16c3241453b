import assert from 'node:assert/strict'
import {
  BEACON_ROOTS,
  decodeStateDiff,
  EMPTY_REQUESTS_HASH,
  HISTORY_STORAGE,
  hexToBytes,
  logsBloom,
  toAddress,
  toHash,
} from '@keelson/primitives'
import {
  ALICE,
  BOB,
  CONTRACT,
  deposit,
  ETHER,
  l1BlockAccount,
  openTestBlock,
  opRules,
  transfer,
  word,
} from '../../../../test/support/evm-world.ts'
import { EvmError } from '../errors.ts'
import { NO_L1_BLOCK_VALUES } from '../fees/l1-block-values.ts'
import { daFootprint } from '../fees/l1-cost.ts'

const RICH = { address: ALICE, balanceWei: ETHER }

describe('DA footprint', () => {
  const scalar = l1BlockAccount({ daFootprintGasScalar: 400n })

  it('counts at least 100 bytes for each user transaction and nothing for deposits', async () => {
    const { block } = openTestBlock(opRules('jovian'), [RICH, scalar])
    block.applyTransaction(deposit(), ALICE)
    assert.equal(block.blobGasUsed, 0n)
    const done = block.applyTransaction(transfer({ nonce: 1n }), ALICE)
    assert.ok(done.kind === 'included')
    assert.deepEqual([block.blobGasUsed, done.l1Fee?.daFootprint, done.l1Fee?.daFootprintGasScalar], [40_000n, 40_000n, 400])
    assert.equal(block.finish().blobGasUsed, 40_000n)
  })

  it('estimates larger transactions by their compressed size', () => {
    const raw = Uint8Array.from({ length: 256 }, (_, i) => i)
    // 8 incompressible runs of 33 bytes: (836,500 * 264 - 42,585,600) / 10^6 = 178.25 bytes.
    assert.equal(daFootprint(raw, opRules('jovian'), { ...NO_L1_BLOCK_VALUES, daFootprintGasScalar: 400 }), 178n * 400n)
  })

  it('limits a block like gas does, and rejects without a trace', async () => {
    const { block } = openTestBlock(opRules('jovian'), [RICH, scalar], { gasLimit: 79_999n })
    const first = block.applyTransaction(transfer(), ALICE)
    assert.equal(first.kind, 'included')
    const second = block.applyTransaction(transfer({ nonce: 1n }), ALICE)
    assert.ok(second.kind === 'rejected')
    assert.equal(second.reason, 'da-footprint-limit')
    assert.deepEqual([block.blobGasUsed, block.session.nonce(ALICE)], [40_000n, 1n])
  })

  it('is zero in the header from Ecotone, and absent before', async () => {
    for (const [fork, expected] of [
      ['canyon', null],
      ['ecotone', 0n],
      ['isthmus', 0n],
    ] as const) {
      const { block } = openTestBlock(opRules(fork), [RICH, scalar])
      block.applyTransaction(transfer(), ALICE)
      assert.equal(block.finish().blobGasUsed, expected, fork)
    }
  })
})

describe('block', () => {
  const LOGGER = hexToBytes('0x600035600052600160206000a1')

  it('sums gas, logs and tips over its receipts', async () => {
    const { block } = openTestBlock(opRules('isthmus'), [RICH, { address: CONTRACT, code: LOGGER }])
    block.applyTransaction(transfer(), ALICE)
    const logged = block.applyTransaction(transfer({ nonce: 1n, to: CONTRACT, gasLimit: 60_000n, data: word(7n) }), ALICE)
    assert.ok(logged.kind === 'included')
    const result = block.finish()
    assert.deepEqual(
      result.receipts.map((receipt) => receipt.cumulativeGasUsed),
      [21_000n, 21_000n + logged.gasUsed],
    )
    const expected = { address: toAddress(CONTRACT), topics: [toHash(word(1n))], data: word(7n) }
    assert.deepEqual(logged.receipt.logs, [expected])
    assert.deepEqual(result.logsBloom, logsBloom([expected]))
    assert.equal(result.tipsWei, result.gasUsed)
    assert.equal(result.requestsHash, EMPTY_REQUESTS_HASH)
  })

  it('calls the contracts of beacon roots and history before the first transaction', async () => {
    const stores = hexToBytes('0x60003543550000')
    const system = [BEACON_ROOTS, HISTORY_STORAGE].map((address) => ({ address: hexToBytes(address), code: stores, nonce: 1n }))
    const root = toHash(word(77n))
    const parentHash = toHash(word(88n))
    const { block } = openTestBlock(opRules('isthmus'), system, { parentBeaconBlockRoot: root, parentHash, number: 3 })
    block.applySystemCalls()
    assert.deepEqual(block.session.storage(hexToBytes(BEACON_ROOTS), word(3n)), word(77n))
    assert.deepEqual(block.session.storage(hexToBytes(HISTORY_STORAGE), word(3n)), word(88n))
    const { accounts } = decodeStateDiff(block.finish().diff)
    assert.equal(accounts.length, 2, 'the caller leaves no trace')
    assert.equal(block.gasUsed, 0n)
  })

  it('works without these contracts', async () => {
    const { block } = openTestBlock(opRules('isthmus'), [], { parentBeaconBlockRoot: toHash(word(1n)) })
    block.applySystemCalls()
    assert.deepEqual(decodeStateDiff(block.finish().diff), { accounts: [], codes: [] })
  })

  it('sets the code of a fork, and keeps the rest of the account', async () => {
    const address = toAddress(CONTRACT)
    const code = hexToBytes('0x6001')
    const transition = {
      activates: [],
      upgradeTransactions: [],
      l1InfoFormat: 'bedrock' as const,
      userTransactionsAllowed: true,
      upgradeGas: 0n,
      keptUpgradeGas: 0n,
      irregularCode: [{ address, code }],
    }
    const { block, view } = openTestBlock(opRules('canyon'), [{ address: CONTRACT, balanceWei: 3n }], {}, { transition })
    block.applySystemCalls()
    view.apply(block.finish().diff)
    const account = view.account(CONTRACT)
    assert.deepEqual([account?.balanceWei, account?.nonce], [3n, 0n])
    assert.deepEqual(view.code(account?.codeHash as Uint8Array), code)
  })

  it('is closed when finished', async () => {
    const { block } = openTestBlock(opRules('isthmus'), [RICH])
    block.finish()
    assert.throws(() => block.applyTransaction(transfer(), ALICE), EvmError)
  })

  it('omits restored values from its diff', async () => {
    const { block } = openTestBlock(opRules('isthmus'), [RICH, { address: BOB, balanceWei: 1n }], { baseFeeWei: 0n })
    block.applyTransaction(transfer({ valueWei: 0n, maxFeePerGasWei: 0n, maxPriorityFeePerGasWei: 0n }), ALICE)
    const { accounts } = decodeStateDiff(block.finish().diff)
    assert.deepEqual(
      accounts.map((account) => [account.address, account.nonce]),
      [[ALICE, 1n]],
    )
  })
})
