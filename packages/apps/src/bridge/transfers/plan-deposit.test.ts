import assert from 'node:assert/strict'
import { ERC20_CALLS, encodeAllowance, encodeApprove, encodeBalanceOf, encodeParameters } from '@keelson/contracts'
import { toAddress } from '@keelson/primitives'
import { createFakeChain, type FakeChain } from './fake-chain.test-support.ts'
import { assertDepositAmount, planErc20Deposit, planNativeDeposit, planPortalCall, readToken } from './plan-deposit.ts'
import { planErc20Withdrawal } from './plan-withdrawal.ts'

const address = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const contracts = { portal: address('a1'), standardBridge: address('a4'), messenger: address('a3'), outputOracle: null }
const REFUSED = { code: 'apps/bridge-refused' }
const MINIMUM = 10n ** 16n
const uint = (value: bigint) => encodeParameters('uint256', [value])

describe('deposits', () => {
  it('are at least 0.01', () => {
    assertDepositAmount(MINIMUM)
    assert.throws(() => assertDepositAmount(MINIMUM - 1n), {
      ...REFUSED,
      message: /at least 0\.01 of the native currency, got 0\.009999999999999999/,
    })
  })

  it('below the minimum are refused on every path: by the bridge, and with a call through the portal', () => {
    const tooSmall = { ...REFUSED, message: /at least 0\.01 of the native currency, got 0\.001; nothing was sent/ }
    const call = { to: address('11'), valueWei: 0n, data: new Uint8Array(0), gasLimit: 100_000n }
    assert.throws(() => planNativeDeposit(contracts, address('11'), MINIMUM / 10n), tooSmall)
    assert.throws(() => planPortalCall(contracts, call, MINIMUM / 10n), tooSmall)
    assert.equal(planPortalCall(contracts, call, MINIMUM).valueWei, MINIMUM)
    assert.equal(planPortalCall(contracts, call, 0n).valueWei, 0n)
  })

  it('of native value go through the bridge, with calls through the portal', () => {
    assert.deepEqual(
      [planNativeDeposit(contracts, address('11'), MINIMUM).to, planNativeDeposit(contracts, address('11'), MINIMUM).valueWei],
      [contracts.standardBridge, MINIMUM],
    )
    const call = { to: address('11'), valueWei: 5n, data: new Uint8Array(10), gasLimit: 21_160n }
    assert.deepEqual([planPortalCall(contracts, call, 0n).to, planPortalCall(contracts, call, 0n).valueWei], [contracts.portal, 0n])
    assert.throws(() => planPortalCall(contracts, { ...call, gasLimit: 21_159n }, 0n), { ...REFUSED, message: /at least 21160/ })
  })
})

describe('transfers of ERC-20s', () => {
  const [l1Token, l2Token, from] = [address('21'), address('22'), address('33')]
  const token = { address: l1Token, decimals: 6, symbol: 'BRG' }
  const deposit = { from, to: from, token, l2Token, amount: 100n }
  let l1: FakeChain
  let l2: FakeChain

  beforeEach(() => {
    l1 = createFakeChain()
    l2 = createFakeChain()
    l1.answer(l1Token, encodeBalanceOf(from), uint(100n))
    l1.answer(l1Token, encodeAllowance(from, contracts.standardBridge), uint(99n))
    l2.answer(l2Token, ERC20_CALLS.remoteToken, encodeParameters('address', [l1Token]))
    l2.answer(l2Token, encodeBalanceOf(from), uint(100n))
  })

  it('are approved first if needed, for the exact amount', async () => {
    const plan = await planErc20Deposit(l1, l2, contracts, deposit)
    assert.deepEqual(
      plan.map(({ purpose, to }) => [purpose, to]),
      [
        ['approval', l1Token],
        ['deposit', contracts.standardBridge],
      ],
    )
    assert.deepEqual(plan[0]?.data, encodeApprove(contracts.standardBridge, 100n))
    l1.answer(l1Token, encodeAllowance(from, contracts.standardBridge), uint(100n))
    assert.equal((await planErc20Deposit(l1, l2, contracts, deposit)).length, 1)
  })

  it('are refused when they would be lost or fail', async () => {
    await assert.rejects(planErc20Deposit(l1, l2, contracts, { ...deposit, l2Token: address('23') }), {
      ...REFUSED,
      message: /not a bridge token/,
    })
    await assert.rejects(planErc20Deposit(l1, l2, contracts, { ...deposit, amount: 101n }), {
      ...REFUSED,
      message: /has 0\.0001 BRG on L1, not 0\.000101/,
    })
    l2.answer(l2Token, ERC20_CALLS.remoteToken, encodeParameters('address', [address('24')]))
    await assert.rejects(planErc20Deposit(l1, l2, contracts, deposit), { ...REFUSED, message: /represents 0x2424/ })
  })

  it('return to the L1 counterpart of the L2 token', async () => {
    const own = { ...token, address: l2Token }
    assert.ok((await planErc20Withdrawal(l2, from, from, own, 100n)).data.length > 0)
    await assert.rejects(planErc20Withdrawal(l2, from, from, own, 101n), REFUSED)
    await assert.rejects(planErc20Withdrawal(l2, from, from, { ...own, address: address('25') }, 1n), {
      ...REFUSED,
      message: /is not a token of this bridge/,
    })
  })

  it('have a short name of plain characters, regardless of the token', async () => {
    l1.answer(l1Token, ERC20_CALLS.decimals, uint(6n))
    l1.answer(l1Token, ERC20_CALLS.symbol, encodeParameters('string', ['\u001b[31mUSD\nC']))
    assert.equal((await readToken(l1, l1Token, 'L1')).symbol, '31mUSDC')
    l1.answer(l1Token, ERC20_CALLS.symbol, new TextEncoder().encode('MKR'.padEnd(32, '\0')))
    assert.equal((await readToken(l1, l1Token, 'L1')).symbol, 'MKR')
    await assert.rejects(readToken(l1, address('26'), 'L1'), { ...REFUSED, message: /no ERC-20 token at 0x2626/ })
  })
})
