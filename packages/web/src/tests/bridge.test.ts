import assert from 'node:assert/strict'
import { exactAmount } from '../client/format/exact-amount.ts'
import { readAmount } from '../client/format/read-amount.ts'
import { recipientTrouble } from '../client/format/recipient-trouble.ts'
import type { DepositStatus, WithdrawalState, WithdrawalStatus } from '../client/pages/bridge/bridge-types.ts'
import { depositMs } from '../client/pages/bridge/deposit-ms.ts'
import { depositSteps, withdrawalSteps } from '../client/pages/bridge/steps.ts'
import type { Heads } from '../shared/network-document.ts'

const ETHER = 10n ** 18n
const LIMITS = { currency: 'ETH', minimumWei: ETHER / 100n, balanceWei: 2n * ETHER, feeWei: ETHER / 1000n }

describe('an amount that somebody typed', () => {
  it('is read exactly', () => {
    const weiOf = (text: string) => readAmount(text, { ...LIMITS, minimumWei: 1n }).wei
    assert.deepEqual(['1', ' 0.5 ', '.25', '1.', '0.000000000000000001'].map(weiOf), [ETHER, ETHER / 2n, ETHER / 4n, ETHER, 1n])
  })

  it('is refused before the wallet opens, with the reason', () => {
    const troubleOf = (text: string, more: Partial<typeof LIMITS> = {}) => readAmount(text, { ...LIMITS, ...more }).trouble
    for (const text of ['x', '1,5', '-1', '1e3', '0x10', '1.2.3', '.', '１', '9'.repeat(61)])
      assert.match(troubleOf(text) ?? '', /as 0\.5/, text)
    assert.match(troubleOf(`0.${'1'.repeat(19)}`) ?? '', /18 digits/)
    assert.match(troubleOf('0.0') ?? '', /More than 0/)
    assert.match(troubleOf('0.009') ?? '', /At least 0\.01 ETH/)
    assert.match(troubleOf('2.1') ?? '', /has 2 ETH/)
    assert.match(troubleOf('2') ?? '', /Leave about 0\.001 ETH/)
    assert.equal(troubleOf('1.999'), null)
  })

  it('of the whole balance is written as it is read', () => {
    for (const wei of [1n, ETHER, 12_345n * ETHER + 10n ** 17n, 10n ** 17n + 1n])
      assert.equal(readAmount(exactAmount(wei), { ...LIMITS, minimumWei: 1n, balanceWei: null }).wei, wei)
    assert.equal(exactAmount(1234n * ETHER), '1234')
  })

  it('is neither an amount nor a mistake while nothing is typed', () => {
    assert.deepEqual(readAmount('  ', LIMITS), { wei: null, trouble: null })
    assert.equal(readAmount('5', { ...LIMITS, balanceWei: null }).wei, 5n * ETHER)
  })
})

describe('a recipient that somebody typed', () => {
  it('is refused when it is no address, has a mistyped digit or is the zero address', () => {
    assert.match(recipientTrouble('0x12') ?? '', /40 hex digits/)
    const mistyped = '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'
    assert.match(recipientTrouble(mistyped) ?? '', new RegExp(`The checksum of ${mistyped} is wrong: look for a mistyped digit`))
    assert.match(recipientTrouble(`0x${'00'.repeat(20)}`) ?? '', /zero address/)
  })

  it('may be in its checksummed form or in one case', () => {
    const right = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    for (const text of [right, right.toLowerCase(), `0x${right.slice(2).toUpperCase()}`]) assert.equal(recipientTrouble(text), null)
  })
})

describe('the steps of a transfer', () => {
  const words = (steps: readonly { readonly name: string; readonly state: string }[]) => steps.map(({ state }) => state).join(', ')
  const deposit = (state: DepositStatus['state'], l1Block: number | null, l2BlockNumber: number | null, reason: string | null = null) =>
    depositSteps({
      state,
      l1: { status: l1Block === null ? 'pool' : 'included', blockNumber: l1Block },
      l2BlockNumber,
      reason: reason === null ? null : { text: reason },
      nextAction: { code: 'wait', text: 'wait' },
    } as DepositStatus)

  it('show one current step of a deposit, from the pool of L1 to a safe block of L2', () => {
    assert.equal(words(deposit('pending', null, null)), 'done, current, to come, to come')
    assert.equal(words(deposit('pending', 7, null)), 'done, done, current, to come')
    assert.equal(words(deposit('relaying', 7, 9)), 'done, done, done, current')
    assert.equal(words(deposit('complete', 7, 9)), 'done, done, done, done')
  })

  it('say where and why a deposit failed', () => {
    const onL1 = deposit('failed', 7, null, 'reverted')
    assert.equal(words(onL1), 'done, failed, to come, to come')
    assert.equal(onL1[1]?.text, 'reverted')
    assert.equal(words(deposit('failed', 7, 9, 'out of gas')), 'done, done, failed, to come')
  })

  it('show one current step of a withdrawal in each of its states', () => {
    const at = (status: WithdrawalState, l2BlockNumber: number | null = 5) =>
      words(withdrawalSteps({ status, l2BlockNumber, text: 'why' } as WithdrawalStatus))
    assert.equal(at('waiting-to-prove', null), 'current, to come, to come, to come, to come')
    assert.equal(at('waiting-to-prove'), 'done, current, to come, to come, to come')
    assert.equal(at('ready-to-prove'), 'done, done, current, to come, to come')
    assert.equal(at('waiting-to-finalize'), 'done, done, done, current, to come')
    assert.equal(at('ready-to-finalize'), 'done, done, done, done, current')
    assert.equal(at('finalized'), 'done, done, done, done, done')
    assert.equal(at('failed'), 'failed, to come, to come, to come, to come')
  })
})

describe('the time of a deposit', () => {
  const heads = (l1: number, origin: number, finalized: number) =>
    ({
      unsafe: { l1Origin: { number: origin } },
      l1: { head: { number: l1, timeSec: 12 * l1 }, finalized: { number: finalized, timeSec: 12 * finalized } },
    }) as unknown as Heads

  it('is the distance of the sequencer from the head of L1', () => {
    assert.equal(depositMs(heads(100, 95, 30)), 60_000)
    assert.equal(depositMs(heads(100, 100, 30)), 12_000)
  })

  it('is not known before L1 has a final block behind its head', () => assert.equal(depositMs(heads(0, 0, 0)), null))
})
