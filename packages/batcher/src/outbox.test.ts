import assert from 'node:assert/strict'
import { toAddress, toHash } from '@keelson/primitives'
import type { Carrier } from './carrier.ts'
import { createOutbox } from './outbox.ts'
import type { L1Receipt, L1Transaction } from './ports.ts'
import { createSubmissions } from './submissions.ts'

const SIGNAL = new AbortController().signal
const inbox = toAddress(`0xff${'00'.repeat(19)}`)

function open(maxPending = 10) {
  const submissions = createSubmissions()
  const handed: { label: string; transaction: L1Transaction; settle(): void; refuse(reason: string): void }[] = []
  const followed: string[] = []
  const outbox = createOutbox({
    sender: {
      send: (transaction) =>
        new Promise<L1Receipt>((resolve, reject) => {
          handed.push({
            label: transaction.label ?? '',
            transaction,
            settle: () => resolve({ succeeded: true, blockNumber: 1, transactionHash: toHash(`0x${'01'.repeat(32)}`) }),
            refuse: (reason) => reject(new Error(reason)),
          })
        }),
      recover: async () => [],
    },
    submissions,
    maxPending,
    sent: () => undefined,
    refused: () => undefined,
  })
  const push = (label: string, carrier: Carrier = 'calldata') =>
    outbox.push([
      {
        transaction: { to: inbox, data: new Uint8Array(10), label },
        carrier,
        follow(receipt) {
          followed.push(label)
          submissions.watch(receipt)
        },
      },
    ])
  const labels = () => handed.map(({ label }) => label)
  const place = (at: number) => handed[at]?.transaction.onPlaced?.()
  return { outbox, submissions, handed, followed, push, labels, place }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('outbox', () => {
  it('sends a transaction only when the previous one was accepted', async () => {
    const { outbox, push, labels, place, followed } = open()
    for (const label of ['a', 'b', 'c']) push(label)
    assert.equal(outbox.send(SIGNAL), 1)
    assert.equal(outbox.send(SIGNAL), 0)
    assert.deepEqual([labels(), outbox.placing], [['a'], true])
    place(0)
    assert.deepEqual([labels(), followed], [['a', 'b'], ['a']])
    place(1)
    place(2)
    assert.deepEqual([labels(), followed, outbox.items.length, outbox.placing], [['a', 'b', 'c'], ['a', 'b', 'c'], 0, false])
  })

  it('keeps a failed transaction first, reports the reason, and retries it on request', async () => {
    const { outbox, push, labels, handed, place, submissions } = open()
    push('a')
    push('b')
    outbox.send(SIGNAL)
    handed[0]?.refuse('out of funds')
    await turn()
    assert.deepEqual([labels(), outbox.held, outbox.placing], [['a'], 'out of funds', false])
    assert.equal(submissions.takeFailure(), null)
    outbox.send(SIGNAL)
    place(1)
    assert.deepEqual([labels(), outbox.held], [['a', 'a', 'b'], null])
  })

  it('limits the pending transactions at L1', async () => {
    const { outbox, push, labels, place, handed } = open(2)
    for (const label of ['a', 'b', 'c']) push(label)
    outbox.send(SIGNAL)
    place(0)
    place(1)
    assert.deepEqual(labels(), ['a', 'b'])
    handed[0]?.settle()
    await turn()
    assert.equal(outbox.send(SIGNAL), 1)
    assert.deepEqual(labels(), ['a', 'b', 'c'])
  })

  it('sends no blobs while calldata waits in the pool, and vice versa', async () => {
    const { outbox, push, labels, place, handed } = open()
    push('a', 'calldata')
    push('b', 'blobs')
    push('c', 'calldata')
    outbox.send(SIGNAL)
    place(0)
    outbox.send(SIGNAL)
    assert.deepEqual(labels(), ['a'])
    handed[0]?.settle()
    await turn()
    outbox.send(SIGNAL)
    place(1)
    outbox.send(SIGNAL)
    assert.deepEqual(labels(), ['a', 'b'])
    handed[1]?.settle()
    await turn()
    outbox.send(SIGNAL)
    assert.deepEqual(labels(), ['a', 'b', 'c'])
  })

  it('drops unsent transactions; sent ones still count', async () => {
    const { outbox, push, place, followed, submissions, handed } = open()
    push('a')
    push('b')
    outbox.send(SIGNAL)
    outbox.clear()
    push('c')
    assert.equal(outbox.send(SIGNAL), 0)
    place(0)
    assert.deepEqual([followed, submissions.pendingCount, outbox.items.length], [[], 1, 1])
    handed[0]?.settle()
    await turn()
    assert.deepEqual([submissions.pendingCount, submissions.highestInclusion], [0, 1])
  })

  it('counts the bytes not yet settled on L1', async () => {
    const { outbox, push, place, handed } = open()
    push('a')
    push('b')
    assert.equal(outbox.waitingBytes, 20)
    outbox.send(SIGNAL)
    place(0)
    assert.equal(outbox.waitingBytes, 20)
    handed[0]?.settle()
    await turn()
    assert.equal(outbox.waitingBytes, 10)
  })
})
