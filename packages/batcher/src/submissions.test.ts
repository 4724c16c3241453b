import assert from 'node:assert/strict'
import { l2Time, toAddress, toHash } from '@keelson/primitives'
import type { Carrier } from './carrier.ts'
import type { L1Receipt, L1Transaction } from './ports.ts'
import { Submissions } from './submissions.ts'

const SIGNAL = new AbortController().signal
const inbox = toAddress(`0xff${'00'.repeat(19)}`)
const hash = toHash(`0x${'01'.repeat(32)}`)

function open(maxPending = 10) {
  const sent: { label: string; transaction: L1Transaction; settle(succeeded?: boolean): void; refuse(reason: string): void }[] = []
  const refused: Carrier[] = []
  const submissions = new Submissions({
    sender: {
      send: (transaction) =>
        new Promise<L1Receipt>((resolve, reject) => {
          sent.push({
            label: transaction.label ?? '',
            transaction,
            settle: (succeeded = true) => resolve({ succeeded, blockNumber: sent.length, transactionHash: hash }),
            refuse: (reason) => reject(new Error(reason)),
          })
        }),
      recover: async () => [],
    },
    maxPending,
    choice: { refused: (carrier) => refused.push(carrier) > 0 && carrier === 'blobs' },
    metrics: { transactionSent: () => undefined },
  })
  let number = 0
  const add = (labels: string, carrier: Carrier = 'calldata') => {
    number++
    submissions.add({
      channelId: `0x${labels}`,
      last: { hash, number, parentHash: hash, timestampSec: l2Time(number), l1Origin: { hash, number: 1 }, sequenceNumber: 0 },
      carrier,
      transactions: [...labels].map((label) => ({ to: inbox, data: new Uint8Array(10), label })),
    })
  }
  const labels = () => sent.map(({ label }) => label).join('')
  const waiting = () => submissions.waiting.map(({ label }) => label).join('')
  const place = (at: number) => sent[at]?.transaction.onPlaced?.()
  return { submissions, sent, refused, add, labels, waiting, place }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('submissions', () => {
  it('send a transaction only when the previous one was accepted', async () => {
    const { submissions, add, labels, waiting, place } = open()
    for (const label of ['a', 'b', 'c']) add(label)
    submissions.send(SIGNAL)
    submissions.send(SIGNAL)
    assert.deepEqual([labels(), submissions.sending, submissions.pendingCount], ['a', true, 0])
    place(0)
    assert.deepEqual([labels(), submissions.pendingCount], ['ab', 1])
    place(1)
    place(2)
    assert.deepEqual([labels(), submissions.pendingCount, waiting(), submissions.sending], ['abc', 3, '', false])
  })

  it('keep a failed transaction first, report the reason, and retry it on request', async () => {
    const { submissions, add, labels, sent, place } = open()
    add('ab')
    submissions.send(SIGNAL)
    sent[0]?.refuse('out of funds')
    await turn()
    assert.deepEqual([labels(), submissions.sendError, submissions.sending], ['a', 'out of funds', false])
    assert.equal(submissions.takeFailure(), null)
    submissions.send(SIGNAL)
    place(1)
    assert.deepEqual([labels(), submissions.sendError], ['aab', null])
  })

  it('limit the pending transactions at L1', async () => {
    const { submissions, add, labels, place, sent } = open(2)
    add('abc')
    submissions.send(SIGNAL)
    place(0)
    place(1)
    assert.equal(labels(), 'ab')
    sent[0]?.settle()
    await turn()
    assert.equal(submissions.full, true)
    submissions.send(SIGNAL)
    assert.equal(labels(), 'abc')
  })

  it('send no blobs while calldata waits in the pool, and vice versa', async () => {
    const { submissions, add, labels, place, sent } = open()
    add('a', 'calldata')
    add('b', 'blobs')
    add('c', 'calldata')
    submissions.send(SIGNAL)
    place(0)
    submissions.send(SIGNAL)
    assert.equal(labels(), 'a')
    sent[0]?.settle()
    await turn()
    submissions.send(SIGNAL)
    place(1)
    submissions.send(SIGNAL)
    assert.equal(labels(), 'ab')
    sent[1]?.settle()
    await turn()
    submissions.send(SIGNAL)
    assert.equal(labels(), 'abc')
  })

  it('drop unsent transactions, while sent ones still count', async () => {
    const { submissions, add, place, labels, waiting, sent } = open()
    add('ab')
    submissions.send(SIGNAL)
    submissions.reset()
    add('c')
    submissions.send(SIGNAL)
    assert.equal(labels(), 'a')
    place(0)
    assert.deepEqual([submissions.pendingCount, labels(), waiting()], [1, 'ac', 'c'])
    sent[0]?.settle()
    await turn()
    assert.deepEqual([submissions.pendingCount, submissions.highestInclusion, submissions.lastInclusion], [0, 2, 2])
    assert.deepEqual(
      submissions.channels.map(({ channelId }) => channelId),
      ['0xc'],
    )
  })

  it('count the bytes not yet settled on L1', async () => {
    const { submissions, add, place, sent } = open()
    add('ab')
    assert.equal(submissions.unsettledBytes, 20)
    submissions.send(SIGNAL)
    place(0)
    assert.equal(submissions.unsettledBytes, 20)
    sent[0]?.settle()
    await turn()
    assert.equal(submissions.unsettledBytes, 10)
  })

  it('complete a channel with its last transaction, and report it as lost when L1 is derived beyond it', async () => {
    const { submissions, add, place, sent } = open()
    add('ab')
    submissions.send(SIGNAL)
    place(0)
    place(1)
    sent[1]?.settle()
    await turn()
    assert.deepEqual([submissions.channels[0]?.completedAt, submissions.findLost(100, 0)], [null, null])
    sent[0]?.settle()
    await turn()
    assert.equal(submissions.channels[0]?.completedAt, 2)
    assert.deepEqual([submissions.findLost(2, 0), submissions.findLost(3, 1)], [null, null])
    assert.equal(submissions.findLost(3, 0)?.channelId, '0xab')
    submissions.prune(1)
    assert.deepEqual([submissions.channels, submissions.findLost(3, 0)], [[], null])
  })

  it('report once that a transaction was lost or reverted, or that unsent channels need another carrier', async () => {
    const { submissions, add, place, sent, refused } = open()
    add('ab')
    submissions.send(SIGNAL)
    place(0)
    sent[0]?.refuse('replaced by another transaction')
    await turn()
    assert.deepEqual([submissions.takeFailure(), submissions.takeFailure()], ['replaced by another transaction', null])
    place(1)
    sent[1]?.settle(false)
    await turn()
    assert.match(submissions.takeFailure() ?? '', /^transaction 0x01.* reverted/)
    add('c', 'blobs')
    submissions.send(SIGNAL)
    sent[2]?.refuse('transaction type not supported')
    await turn()
    assert.deepEqual([submissions.takeFailure(), refused], ['L1 rejects our blobs: unsent channels go into calldata', ['blobs']])
  })
})
