import assert from 'node:assert/strict'
import {
  encodeFailedMessages,
  encodeFinalizedWithdrawals,
  encodeGetL2Output,
  encodeGetL2OutputIndexAfter,
  encodeParameters,
  encodeProvenWithdrawals,
  MESSAGE_PASSED_TOPIC,
  messageHash,
  OUTPUT_ORACLE_CALLS,
  PORTAL_PAUSED_CALL,
  withdrawalHash,
} from '@keelson/contracts'
import { type Address, L2_TO_L1_MESSAGE_PASSER, toAddress, toHash } from '@keelson/primitives'
import { createFakeChain, type FakeChain } from './fake-chain.test-support.ts'
import { readWithdrawalProgress } from './withdrawal-progress.ts'

const address = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const word = (byte: string) => toHash(`0x${byte.repeat(32)}`)
const PORTAL = address('a1')
const ORACLE = address('a2')
const MESSENGER = address('a3')
const contracts = { portal: PORTAL, standardBridge: address('a4'), messenger: MESSENGER, outputOracle: ORACLE as Address | null }
const TX = word('01')
const L2_BLOCK = 45
const uint = (value: number | bigint) => encodeParameters('uint256', [BigInt(value)])
const withdrawal = {
  nonce: 1n << 240n,
  sender: address('11'),
  target: MESSENGER,
  valueWei: 5n,
  gasLimit: 100_000n,
  data: Uint8Array.of(9, 9),
}
const hash = withdrawalHash(withdrawal)

describe('the progress of a withdrawal', () => {
  let l1: FakeChain
  let l2: FakeChain
  const read = async () => (await readWithdrawalProgress(l1, l2, contracts, TX))?.[0]

  const propose = (index: number, l2Block: number, root: string, timestampSec: number) => {
    l1.answer(
      ORACLE,
      encodeGetL2Output(BigInt(index)),
      encodeParameters('bytes32,uint128,uint128', [word(root), BigInt(timestampSec), BigInt(l2Block)]),
    )
    l1.answer(ORACLE, OUTPUT_ORACLE_CALLS.nextOutputIndex, uint(index + 1))
    l1.answer(ORACLE, OUTPUT_ORACLE_CALLS.latestBlockNumber, uint(l2Block))
    l1.answer(ORACLE, OUTPUT_ORACLE_CALLS.nextBlockNumber, uint(l2Block + 30))
    if (l2Block >= L2_BLOCK) l1.answer(ORACLE, encodeGetL2OutputIndexAfter(BigInt(L2_BLOCK)), uint(index))
  }
  const prove = (root: string, timestampSec: number, index: number) =>
    l1.answer(
      PORTAL,
      encodeProvenWithdrawals(hash),
      encodeParameters('bytes32,uint128,uint128', [word(root), BigInt(timestampSec), BigInt(index)]),
    )

  beforeEach(() => {
    l1 = createFakeChain()
    l2 = createFakeChain()
    const { nonce, sender, target, valueWei, gasLimit, data } = withdrawal
    const topics = [
      MESSAGE_PASSED_TOPIC,
      toHash(`0x${nonce.toString(16).padStart(64, '0')}`),
      ...[sender, target].map((a) => toHash(`0x${a.slice(2).padStart(64, '0')}`)),
    ]
    const log = {
      address: L2_TO_L1_MESSAGE_PASSER,
      topics,
      data: encodeParameters('uint256,uint256,bytes,bytes32', [valueWei, gasLimit, data, hash]),
    }
    const block = { number: L2_BLOCK, hash: word('b1') }
    l2.receipts.set(TX, { transactionHash: TX, block, from: sender, succeeded: true, gasUsed: 1n, logs: [{ log, index: 0 }] })
    l1.answer(PORTAL, encodeFinalizedWithdrawals(hash), uint(0))
    l1.answer(PORTAL, PORTAL_PAUSED_CALL, uint(0))
    l1.answer(PORTAL, encodeProvenWithdrawals(hash), encodeParameters('bytes32,uint128,uint128', [word('00'), 0n, 0n]))
    l1.answer(ORACLE, OUTPUT_ORACLE_CALLS.finalizationPeriodSeconds, uint(12))
    l1.answer(ORACLE, OUTPUT_ORACLE_CALLS.submissionInterval, uint(30))
    propose(0, 30, 'f0', 900)
  })

  it('is null for an unknown L2 transaction, or one without withdrawals', async () => {
    assert.equal(await readWithdrawalProgress(l1, l2, contracts, word('02')), null)
    const [[, receipt]] = [...l2.receipts] as [[unknown, NonNullable<ReturnType<FakeChain['receipts']['get']>>]]
    l2.receipts.set(TX, { ...receipt, logs: [] })
    assert.equal(await read(), undefined)
    l2.receipts.set(TX, { ...receipt, succeeded: false })
    assert.equal((await read())?.state, 'failed')
    l2.receipts.clear()
    l2.pool.add(TX)
    assert.equal((await read())?.state, 'waiting-to-prove')
  })

  it('waits for the output of the first block that covers it', async () => {
    const progress = await read()
    assert.equal(progress?.state, 'waiting-to-prove')
    assert.equal(progress?.nextStepInSec, 20)
    assert.match(progress?.text ?? '', /covers L2 block 45 is the one for block 60/)
  })

  it('can be proven against the first output at or after its block', async () => {
    propose(1, 60, 'f1', 950)
    const progress = await read()
    assert.equal(progress?.state, 'ready-to-prove')
    assert.deepEqual(progress?.output, { index: 1n, l2Block: 60, outputRoot: word('f1') })
    assert.equal(progress?.nextStepInSec, 0)
    l1.answer(PORTAL, PORTAL_PAUSED_CALL, uint(1))
    assert.match((await read())?.text ?? '', /paused by its guardian/)
  })

  it('can be finalized when more than the period has passed in L1 time since the proof', async () => {
    propose(1, 60, 'f1', 950)
    prove('f1', 990, 1)
    l1.head = { number: 100, timestampSec: 1002 }
    assert.deepEqual([(await read())?.state, (await read())?.nextStepInSec], ['waiting-to-finalize', 1])
    l1.head = { number: 101, timestampSec: 1003 }
    assert.equal((await read())?.state, 'ready-to-finalize')
  })

  it('must be proven again when the output was deleted, and waits for a new one when none covers it', async () => {
    propose(1, 60, 'f1', 950)
    prove('f1', 990, 1)
    propose(1, 60, 'f2', 1000)
    const progress = await read()
    assert.equal(progress?.state, 'ready-to-prove')
    assert.match(progress?.text ?? '', /again: the output of its proof was deleted/)
    l1.answers.delete(`${ORACLE}0x${Buffer.from(encodeGetL2Output(1n)).toString('hex')}`)
    propose(0, 30, 'f0', 900)
    assert.equal((await read())?.state, 'waiting-to-prove')
  })

  it('ends with the payout, and reports a message that failed on L1', async () => {
    l1.answer(PORTAL, encodeFinalizedWithdrawals(hash), uint(1))
    l1.answer(MESSENGER, encodeFailedMessages(messageHash(withdrawal.data)), uint(0))
    assert.deepEqual([(await read())?.state, (await read())?.text], ['finalized', 'paid out on L1'])
    l1.answer(MESSENGER, encodeFailedMessages(messageHash(withdrawal.data)), uint(1))
    assert.match((await read())?.text ?? '', /its message failed on L1/)
  })

  it('is refused on a network without an output oracle', async () => {
    await assert.rejects(readWithdrawalProgress(l1, l2, { ...contracts, outputOracle: null }, TX), { code: 'apps/bridge-unsupported' })
  })
})
