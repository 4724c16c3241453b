import assert from 'node:assert/strict'
import { encodeReceipt, hexToBytes, type Receipt, rlpDecode } from '@keelson/primitives'
import { ALICE, BOB, CONTRACT, deposit, ETHER, openTestBlock, opRules, transfer } from '../../../../test/support/evm-world.ts'
import type { IncludedTx } from '../block/block-types.ts'
import { createAddress } from './contract-address.ts'

const REVERTS = hexToBytes('0x60006000fd')
const INVALID = hexToBytes('0xfe')

async function include(rules: ReturnType<typeof opRules>, changes: Parameters<typeof deposit>[0], code?: Uint8Array, balanceWei = 0n) {
  const { block } = openTestBlock(rules, [
    { address: ALICE, balanceWei, nonce: 5n },
    { address: CONTRACT, nonce: 1n, ...(code === undefined ? {} : { code }) },
  ])
  const done = block.applyTransaction(deposit(changes), ALICE)
  assert.ok(done.kind === 'included')
  return { done: done as IncludedTx, session: block.session, block }
}

function status(receipt: Receipt): number | null {
  return 'status' in receipt.outcome ? receipt.outcome.status : null
}

describe('deposit', () => {
  it('mints, then moves the value, and pays for nothing', async () => {
    const { done, session } = await include(opRules('regolith'), { mintWei: 10n, valueWei: 4n })
    assert.equal(status(done.receipt), 1)
    assert.deepEqual([session.balance(ALICE), session.balance(BOB), session.nonce(ALICE)], [6n, 4n, 6n])
    assert.deepEqual([done.gasUsed, done.effectiveGasPriceWei, done.tipWei], [21_000n, 0n, 0n])
  })

  it('keeps mint and nonce when the call reverts, and returns the unused gas to the block', async () => {
    const { done, session, block } = await include(opRules('regolith'), { mintWei: 10n, valueWei: 4n, to: CONTRACT }, REVERTS)
    assert.equal(status(done.receipt), 0)
    assert.deepEqual([session.balance(ALICE), session.balance(CONTRACT), session.nonce(ALICE)], [10n, 0n, 6n])
    assert.equal(done.gasUsed, 21_006n)
    assert.equal(block.gasLeft, 30_000_000n - 21_006n)
  })

  it('uses all its gas when the call halts', async () => {
    const { done } = await include(opRules('regolith'), { to: CONTRACT }, INVALID)
    assert.deepEqual([status(done.receipt), done.gasUsed], [0, 100_000n])
  })

  it('is included as failed, with mint and nonce, when the value cannot be paid', async () => {
    const { done, session } = await include(opRules('regolith'), { mintWei: 10n, valueWei: 11n })
    assert.equal(status(done.receipt), 0)
    assert.deepEqual([session.balance(ALICE), session.balance(BOB), session.nonce(ALICE)], [10n, 0n, 6n])
    assert.equal(done.gasUsed, 100_000n, 'all of its gas limit')
    assert.match(done.error ?? '', /does not cover the value/)
  })

  it('is included as failed when its gas is below the intrinsic gas', async () => {
    const { done, session } = await include(opRules('regolith'), { mintWei: 10n, gasLimit: 20_999n })
    assert.deepEqual([status(done.receipt), done.gasUsed, session.nonce(ALICE), session.balance(ALICE)], [0, 20_999n, 6n, 10n])
  })

  it('is included as failed when its gas is below the floor for its data, from Isthmus', async () => {
    const data = new Uint8Array(1000).fill(1)
    const before = await include(opRules('holocene'), { data, gasLimit: 40_000n })
    assert.deepEqual([status(before.done.receipt), before.done.gasUsed], [1, 37_000n])
    const after = await include(opRules('isthmus'), { data, gasLimit: 40_000n })
    assert.deepEqual([status(after.done.receipt), after.done.gasUsed], [0, 40_000n])
    const enough = await include(opRules('isthmus'), { data, gasLimit: 61_000n })
    assert.deepEqual([status(enough.done.receipt), enough.done.gasUsed], [1, 61_000n])
  })

  it('reports its gas limit as used before Regolith', async () => {
    const { done, block } = await include(opRules('bedrock'), {})
    assert.deepEqual([status(done.receipt), done.gasUsed, block.gasLeft], [1, 100_000n, 29_900_000n])
  })

  it('reports no gas for system transactions before Regolith, which do not count against the block', async () => {
    const { done, block } = await include(opRules('bedrock'), { isSystemTx: true, gasLimit: 150_000_000n })
    assert.deepEqual([status(done.receipt), done.gasUsed, block.gasLeft], [1, 0n, 30_000_000n])
  })

  it('is included as failed as a system transaction from Regolith', async () => {
    const { done } = await include(opRules('regolith'), { isSystemTx: true })
    assert.deepEqual([status(done.receipt), done.gasUsed], [0, 100_000n])
  })

  it('has a nonce in its receipt from Regolith, hashed with a version from Canyon', async () => {
    const fields = (receipt: Receipt) => rlpDecode(encodeReceipt(receipt).subarray(1)) as readonly Uint8Array[]
    const bedrock = (await include(opRules('bedrock'), {})).done.receipt
    assert.deepEqual([bedrock.depositNonce, bedrock.depositReceiptVersion, fields(bedrock).length], [null, null, 4])
    const regolith = (await include(opRules('regolith'), {})).done.receipt
    assert.deepEqual([regolith.depositNonce, regolith.depositReceiptVersion, fields(regolith).length], [5n, null, 4])
    const canyon = (await include(opRules('canyon'), {})).done.receipt
    assert.deepEqual([canyon.depositNonce, canyon.depositReceiptVersion, fields(canyon).length], [5n, 1n, 6])
  })

  it('creates a contract at the address of sender and nonce before', async () => {
    const { done, session } = await include(opRules('canyon'), { to: null, data: hexToBytes('0x60fe60005360016000f3') })
    const address = createAddress(ALICE, 5n)
    assert.deepEqual(done.contractAddress, address)
    assert.deepEqual(session.code(address), INVALID)
    assert.equal(session.nonce(ALICE), 6n)
  })

  it('is rejected when it exceeds the gas of the block', async () => {
    const { block } = openTestBlock(opRules('canyon'), [])
    const done = block.applyTransaction(deposit({ gasLimit: 30_000_001n }), ALICE)
    assert.ok(done.kind === 'rejected')
    assert.equal(done.reason, 'block-gas-limit')
  })

  it('pays no operator fee and is exempt from the gas cap of transactions', async () => {
    const { done, session } = await include(opRules('karst'), { gasLimit: 20_000_000n }, undefined, ETHER)
    assert.deepEqual([status(done.receipt), session.balance(ALICE)], [1, ETHER])
    const { block } = openTestBlock(opRules('karst'), [{ address: ALICE, balanceWei: ETHER }])
    const user = block.applyTransaction(transfer({ gasLimit: 20_000_000n }), ALICE)
    assert.ok(user.kind === 'rejected')
    assert.equal(user.reason, 'tx-gas-cap')
  })
})
