import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import {
  BASE_FEE_VAULT,
  decodeStateDiff,
  EMPTY_BYTES,
  hexToBytes,
  L1_FEE_VAULT,
  OPERATOR_FEE_VAULT,
  SEQUENCER_FEE_VAULT,
  TX_BLOB,
  TX_LEGACY,
  TX_SET_CODE,
} from '@keelson/primitives'
import {
  ALICE,
  BOB,
  CHAIN_ID,
  CONTRACT,
  crypto,
  deposit,
  ETHER,
  l1BlockAccount,
  openTestBlock,
  opRules,
  sign,
  transfer,
  word,
} from '../../../../test/support/evm-world.ts'
import { signAuthorization } from '../../../../test/support/sign-authorization.ts'
import { createMemoryView, type MemoryAccount } from '../memory-view.ts'
import { validateTransaction } from './validate-transaction.ts'

const RICH = { address: ALICE, balanceWei: ETHER }
const VAULTS = [SEQUENCER_FEE_VAULT, BASE_FEE_VAULT, L1_FEE_VAULT, OPERATOR_FEE_VAULT].map(hexToBytes)
const CLEARS_SLOT = hexToBytes('0x60006000556000')

async function apply(rules: ReturnType<typeof opRules>, tx = transfer(), accounts: readonly MemoryAccount[] = [RICH], header = {}) {
  const { block } = openTestBlock(rules, accounts, header)
  const before = VAULTS.concat([ALICE, BOB]).reduce((sum, address) => sum + block.session.balance(address), 0n)
  const done = block.applyTransaction(tx, ALICE)
  const after = VAULTS.concat([ALICE, BOB]).reduce((sum, address) => sum + block.session.balance(address), 0n)
  return { done, block, created: after - before, vaults: VAULTS.map((vault) => block.session.balance(vault)) }
}

describe('transaction', () => {
  it('splits its fee between the vaults, and creates no wei', async () => {
    const l1 = l1BlockAccount({ baseFeeWei: 1000n, baseFeeScalar: 1_000_000n })
    const { done, created, vaults, block } = await apply(opRules('fjord'), transfer(), [RICH, l1])
    assert.ok(done.kind === 'included')
    assert.deepEqual(vaults, [21_000n * 1n, 21_000n * 10n, 100n * 16n * 1000n, 0n])
    assert.equal(created, 0n)
    assert.equal(block.session.balance(ALICE), ETHER - 1n - 21_000n * 11n - 1_600_000n)
    assert.deepEqual([done.gasUsed, done.effectiveGasPriceWei, done.tipWei, done.l1Fee?.l1FeeWei], [21_000n, 11n, 21_000n, 1_600_000n])
  })

  it('burns the base fee on L1', async () => {
    const { created } = await apply(l1ForkRules('cancun'))
    assert.equal(created, -210_000n)
  })

  for (const [fork, fee] of [
    ['isthmus', (21_000n * 2_000_000n) / 1_000_000n + 50n],
    ['jovian', 21_000n * 2_000_000n * 100n + 50n],
  ] as const) {
    it(`pays the operator fee of ${fork} for the gas it used, and is refunded the rest`, async () => {
      const l1 = l1BlockAccount({ operatorFeeScalar: 2_000_000n, operatorFeeConstant: 50n })
      const { done, created, vaults, block } = await apply(opRules(fork), transfer({ gasLimit: 100_000n }), [RICH, l1])
      assert.ok(done.kind === 'included')
      assert.equal(vaults[3], fee)
      assert.equal(created, 0n)
      assert.equal(block.session.balance(ALICE), ETHER - 1n - 21_000n * 11n - fee)
      assert.deepEqual([done.l1Fee?.operatorFeeScalar, done.l1Fee?.operatorFeeConstant], [2_000_000, 50n])
    })
  }

  it('must hold the operator fee for its whole gas limit', async () => {
    const l1 = l1BlockAccount({ operatorFeeScalar: 2_000_000n, operatorFeeConstant: 50n })
    const worst = 1n + 100_000n * 100n + 200_000n + 50n
    const poor = await apply(opRules('isthmus'), transfer({ gasLimit: 100_000n }), [{ address: ALICE, balanceWei: worst - 1n }, l1])
    assert.ok(poor.done.kind === 'rejected')
    assert.equal(poor.done.reason, 'insufficient-funds')
    const enough = await apply(opRules('isthmus'), transfer({ gasLimit: 100_000n }), [{ address: ALICE, balanceWei: worst }, l1])
    assert.equal(enough.done.kind, 'included')
  })

  it('is refunded at most a fifth of its gas', async () => {
    const contract = { address: CONTRACT, code: CLEARS_SLOT, storage: [[word(0n), word(1n)]] as const }
    const { done } = await apply(opRules('isthmus'), transfer({ to: CONTRACT, gasLimit: 100_000n }), [RICH, contract])
    assert.ok(done.kind === 'included')
    assert.equal(done.gasUsed, 21_000n + 3n + 3n + 5_000n + 3n - 4_800n)
  })

  it('pays at least the floor for its data from Prague', async () => {
    const data = new Uint8Array(100).fill(1)
    const before = await apply(opRules('holocene'), transfer({ data, gasLimit: 50_000n }))
    const after = await apply(opRules('isthmus'), transfer({ data, gasLimit: 50_000n }))
    assert.ok(before.done.kind === 'included' && after.done.kind === 'included')
    assert.deepEqual([before.done.gasUsed, after.done.gasUsed], [22_600n, 25_000n])
  })

  const rejections: readonly (readonly [
    string,
    string,
    Parameters<typeof transfer>[0],
    { balanceWei?: bigint; nonce?: bigint; code?: Uint8Array }?,
  ])[] = [
    ['nonce-too-low', 'its nonce is used', { nonce: 0n }, { nonce: 1n }],
    ['nonce-too-high', 'a nonce before is missing', { nonce: 1n }],
    ['insufficient-funds', 'the balance is one wei short', {}, { balanceWei: 21_000n * 100n }],
    ['sender-not-eoa', 'the sender has code', {}, { code: hexToBytes('0x00') }],
    ['intrinsic-gas', 'its gas does not reach execution', { gasLimit: 20_999n }],
    ['floor-data-gas', 'its gas does not reach the floor', { gasLimit: 22_600n, data: new Uint8Array(100).fill(1) }],
    ['fee-cap-below-base-fee', 'its cap is below the base fee', { maxFeePerGasWei: 9n }],
    ['tip-above-fee-cap', 'its tip is above its cap', { maxPriorityFeePerGasWei: 101n }],
    ['init-code-too-large', 'its init code is too long', { to: null, data: new Uint8Array(49_153), gasLimit: 3_000_000n }],
    ['block-gas-limit', 'the block has no room', { gasLimit: 30_000_001n, maxFeePerGasWei: 10n }],
    ['chain-id-mismatch', 'it is for another chain', { chainId: 1n }],
  ]
  for (const [reason, when, changes, account] of rejections) {
    it(`is rejected as ${reason} when ${when}, and leaves no trace`, async () => {
      const { done, block } = await apply(opRules('isthmus'), transfer(changes), [{ ...RICH, ...account }])
      assert.ok(done.kind === 'rejected')
      assert.equal(done.reason, reason)
      assert.equal(block.gasUsed, 0n)
      assert.deepEqual(decodeStateDiff(block.finish().diff), { accounts: [], codes: [] })
    })
  }

  it('is rejected as type-not-supported when it carries blobs on an OP chain', async () => {
    const blob = sign({
      type: TX_BLOB,
      chainId: CHAIN_ID,
      nonce: 0n,
      gasLimit: 21_000n,
      maxFeePerGasWei: 100n,
      maxPriorityFeePerGasWei: 1n,
      to: BOB,
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxFeePerBlobGasWei: 10n,
      blobVersionedHashes: [new Uint8Array(32).fill(1)],
    })
    const onOp = await apply(opRules('jovian'), blob)
    assert.equal(onOp.done.kind === 'rejected' && onOp.done.reason, 'type-not-supported')
    const onL1 = await apply(l1ForkRules('cancun'), blob)
    assert.ok(onL1.done.kind === 'included')
    assert.equal(onL1.created, -210_000n - 131_072n)
    assert.equal(onL1.block.blobGasUsed, 131_072n)
  })

  it('is rejected with a chain id before EIP-155', () => {
    const tx = {
      type: TX_LEGACY,
      chainId: 1n,
      nonce: 0n,
      gasPriceWei: 1n,
      gasLimit: 21_000n,
      to: BOB,
      valueWei: 0n,
      data: EMPTY_BYTES,
    } as const
    assert.equal(validateTransaction(tx, l1ForkRules('tangerine'), 1n)?.reason, 'chain-id-mismatch')
    assert.equal(validateTransaction(tx, l1ForkRules('spurious'), 1n), null)
  })

  it('is rejected as type-not-supported when it is a deposit on an L1 chain', async () => {
    const { block } = openTestBlock(l1ForkRules('cancun'), [])
    const done = block.applyTransaction(deposit(), ALICE)
    assert.equal(done.kind === 'rejected' && done.reason, 'type-not-supported')
  })
})

describe('set-code transaction', () => {
  const signer = new Uint8Array(32).fill(9)
  const authority = crypto.addressOf(signer)
  const setCode = (authorizations: Parameters<typeof signAuthorization>[0][]) =>
    sign({
      type: TX_SET_CODE,
      chainId: CHAIN_ID,
      nonce: 0n,
      gasLimit: 200_000n,
      maxFeePerGasWei: 100n,
      maxPriorityFeePerGasWei: 1n,
      to: BOB,
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: authorizations.map((authorization) => signAuthorization(authorization, signer)),
    })

  it('sets the delegation, increments the nonce, and charges less for an existing account', async () => {
    const fresh = await apply(opRules('isthmus'), setCode([{ chainId: 0n, address: CONTRACT, nonce: 0n }]))
    assert.ok(fresh.done.kind === 'included')
    assert.equal(fresh.done.gasUsed, 46_000n)
    assert.deepEqual(fresh.block.session.code(authority), hexToBytes(`0xef0100${'c0'.repeat(20)}`))
    assert.equal(fresh.block.session.nonce(authority), 1n)
    const known = await apply(opRules('isthmus'), setCode([{ chainId: CHAIN_ID, address: CONTRACT, nonce: 3n }]), [
      RICH,
      { address: authority, nonce: 3n },
    ])
    assert.ok(known.done.kind === 'included')
    assert.equal(known.done.gasUsed, 46_000n - 9_200n)
  })

  it('skips authorizations for another chain or nonce', async () => {
    const { done, block } = await apply(
      opRules('isthmus'),
      setCode([
        { chainId: 5n, address: CONTRACT, nonce: 0n },
        { chainId: CHAIN_ID, address: CONTRACT, nonce: 1n },
      ]),
    )
    assert.ok(done.kind === 'included')
    assert.equal(block.session.code(authority).length, 0)
  })

  it('clears a delegation with the zero address', async () => {
    const delegated = { address: authority, nonce: 1n, code: hexToBytes(`0xef0100${'c0'.repeat(20)}`), balanceWei: 0n }
    const { block } = await apply(opRules('isthmus'), setCode([{ chainId: 0n, address: new Uint8Array(20), nonce: 1n }]), [RICH, delegated])
    assert.equal(block.session.code(authority).length, 0)
    const view = createMemoryView([RICH, delegated])
    view.apply(block.finish().diff)
    assert.equal(view.account(authority)?.nonce, 2n)
  })

  it('may be sent by a delegated account', async () => {
    const sender = { address: ALICE, balanceWei: ETHER, code: hexToBytes(`0xef0100${'c0'.repeat(20)}`) }
    const { done } = await apply(opRules('isthmus'), transfer(), [sender])
    assert.equal(done.kind, 'included')
  })
})
