import assert from 'node:assert/strict'
import {
  encodeCall,
  encodeParameters,
  encodeSuccessfulMessages,
  FAILED_RELAYED_MESSAGE_TOPIC,
  messageHash,
  TRANSACTION_DEPOSITED_TOPIC,
} from '@keelson/contracts'
import {
  type Address,
  bigintToBytes,
  concatBytes,
  type Hash,
  L1_BLOCK,
  L2_CROSS_DOMAIN_MESSENGER,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { getL2TransactionHashes } from 'viem/op-stack'
import { readDepositProgress } from './deposit-progress.ts'
import { createFakeChain, type FakeChain } from './fake-chain.test-support.ts'

const address = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const word = (byte: string) => toHash(`0x${byte.repeat(32)}`)
const asWord = (a: Address) => toHash(`0x${a.slice(2).padStart(64, '0')}`)
const contracts = { portal: address('a1'), standardBridge: address('a4'), messenger: address('a3'), outputOracle: null }
const [TX, FROM] = [word('01'), address('33')]
const MESSAGE = Uint8Array.of(1, 2, 3, 4)
const L2_BLOCK = 40

describe('the progress of a deposit', () => {
  let l1: FakeChain
  let l2: FakeChain
  let l2Hash: Hash
  const read = async () => (await readDepositProgress(l1, l2, contracts, TX))?.[0]
  const include = (succeeded: boolean, failedMessage = false) => {
    const log = {
      address: L2_CROSS_DOMAIN_MESSENGER,
      topics: [FAILED_RELAYED_MESSAGE_TOPIC, messageHash(MESSAGE)],
      data: new Uint8Array(0),
    }
    const logs = failedMessage ? [{ log, index: 0 }] : []
    l2.receipts.set(l2Hash, {
      transactionHash: l2Hash,
      block: { number: L2_BLOCK, hash: word('b2') },
      from: FROM,
      succeeded,
      gasUsed: 777n,
      logs,
    })
  }

  beforeEach(() => {
    l1 = createFakeChain()
    l2 = createFakeChain()
    const opaque = concatBytes(bigintToBytes(9n, 32), bigintToBytes(5n, 32), bigintToBytes(100_000n, 8), Uint8Array.of(0), MESSAGE)
    const log = {
      address: contracts.portal,
      topics: [TRANSACTION_DEPOSITED_TOPIC, asWord(FROM), asWord(L2_CROSS_DOMAIN_MESSENGER), word('00')],
      data: encodeParameters('bytes', [opaque]),
    }
    const other = { log: { ...log, address: address('99') }, index: 6 }
    const block = { number: 12, hash: word('b1') }
    l1.receipts.set(TX, { transactionHash: TX, block, from: FROM, succeeded: true, gasUsed: 1n, logs: [other, { log, index: 7 }] })
    const hex = `0x${Buffer.from(log.data).toString('hex')}`
    l2Hash = getL2TransactionHashes({ logs: [{ ...log, data: hex, blockHash: block.hash, logIndex: 7 }] } as never)[0] as Hash
    l2.answer(L1_BLOCK, encodeCall('number()'), encodeParameters('uint256', [11n]))
  })

  it('is null for an unknown L1 transaction, or one without deposits', async () => {
    assert.equal(await readDepositProgress(l1, l2, contracts, word('02')), null)
    assert.equal(await readDepositProgress(l1, l2, { ...contracts, portal: address('98') }, TX), null)
  })

  it('is pending in the pool, and in a block whose deposits L2 has not included; its hash is the one viem computes', async () => {
    const progress = await read()
    assert.deepEqual([progress?.state, progress?.l1Block, progress?.l2TxHash, progress?.l2Block], ['pending', 12, l2Hash, null])
    assert.match(progress?.text ?? '', /up to L1 block 11; this one is in block 12/)
    l1.receipts.clear()
    l1.pool.add(TX)
    assert.deepEqual([(await read())?.state, (await read())?.l2TxHash], ['pending', null])
  })

  it('is relaying in a block above the safe head, and complete at it', async () => {
    include(true)
    l2.safe = { number: L2_BLOCK - 1 }
    assert.equal((await read())?.state, 'relaying')
    l2.safe = { number: L2_BLOCK }
    assert.deepEqual([(await read())?.state, (await read())?.l2Block], ['complete', L2_BLOCK])
    assert.equal((await read())?.reason?.code, 'below-minimum', 'it is one of 9 wei')
  })

  it('is failed when its call failed on L1 or L2, and reports where the funds are', async () => {
    include(false)
    assert.equal((await read())?.state, 'failed')
    assert.match((await read())?.text ?? '', /reverted on L2 without a reason; the 0\.000000000000000009 deposited stay with 0x3333/)
    const receipt = l1.receipts.get(TX)
    assert.ok(receipt)
    l1.receipts.set(TX, { ...receipt, succeeded: false })
    assert.match((await read())?.text ?? '', /failed on L1: nothing but its fee/)
    const to = '0x4200000000000000000000000000000000000010'
    l1.transactions.set(TX, { hash: TX, from: FROM, to, nonce: '0x1', value: '0x9', gas: '0x5208', input: '0x' })
    assert.match((await read())?.text ?? '', /0\.000000000000000009 is below the minimum of 0\.01; the transaction reverted on L1/)
  })

  it('is failed when the message failed, until it is replayed', async () => {
    include(true, true)
    const done = encodeSuccessfulMessages(messageHash(MESSAGE))
    l2.answer(L2_CROSS_DOMAIN_MESSENGER, done, encodeParameters('bool', [false]))
    assert.equal((await read())?.state, 'failed')
    assert.match((await read())?.text ?? '', /anyone may call relayMessage/)
    l2.answer(L2_CROSS_DOMAIN_MESSENGER, done, encodeParameters('bool', [true]))
    assert.equal((await read())?.state, 'complete')
  })
})
