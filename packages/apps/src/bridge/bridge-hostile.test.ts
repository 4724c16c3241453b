import assert from 'node:assert/strict'
import { encodeCall, FAILED_RELAYED_MESSAGE_TOPIC } from '@keelson/contracts'
import { keccak256Hash, L2_CROSS_DOMAIN_MESSENGER } from '@keelson/primitives'
import { createMemoryStore } from '@keelson/runtime'
import { depositLog, depositTx, hashOf } from '../../../../test/support/bridge/fake-chains.ts'
import { createWorld, MESSENGER } from '../../../../test/support/bridge/status-world.ts'
import { aliasOf } from './deposit-facts.ts'
import { NO_DEPOSIT } from './explain.ts'
import type { TransactionRecord } from './record.ts'
import { openRecordStore } from './record-store.ts'

const MANY = 500

describe('bridge status under hostile callers', () => {
  it('writes a transaction with many deposits once per update, not once per deposit', async () => {
    const world = createWorld()
    const { l1, l2, store } = world
    const tx = depositTx('many', ...Array.from({ length: MANY }, (_, i) => depositLog({ mintWei: BigInt(i) })))
    l1.mine([tx])
    l2.adopt(l1)
    await world.open()
    let written = 0
    const batch = store.batch.bind(store)
    store.batch = async (ops, options) => {
      for (const op of ops) if ('put' in op) written += op.value.length
      return batch(ops, options)
    }
    await world.step()
    l2.safe = l2.finalized = 1
    await world.step()
    const status = await world.status(tx.hash)
    assert.deepEqual([status.state, status.deposits.length], ['complete', MANY])
    const once = JSON.stringify(status.deposits).length
    assert.ok(written < 20 * once, `${written} bytes written for a record of about ${once}`)
  })

  it('queries a few of a transaction’s failed messages at a time, and eventually all', async () => {
    const world = createWorld()
    const { l1, l2 } = world
    const messages = Array.from({ length: 100 }, (_, i) =>
      encodeCall('relayMessage(uint256,address,address,uint256,uint256,bytes)', [BigInt(i), MESSENGER, MESSENGER, 0n, 0n, '0x01']),
    )
    const logs = messages.map((data) => depositLog({ from: aliasOf(MESSENGER), to: L2_CROSS_DOMAIN_MESSENGER, mintWei: 0n, data }))
    const tx = depositTx('messages', ...logs)
    const failed = messages.map((data) => ({
      address: L2_CROSS_DOMAIN_MESSENGER,
      topics: [FAILED_RELAYED_MESSAGE_TOPIC, keccak256Hash(data)],
      data: new Uint8Array(0),
    }))
    l2.outcomes.set(tx.hash, { succeeded: true, logs: failed })
    l1.mine([tx])
    l2.adopt(l1)
    l2.safe = l2.finalized = 1
    await world.open()
    await world.step()
    let asked = 0
    const isMessageDone = l2.isMessageDone.bind(l2)
    l2.isMessageDone = async (hash) => {
      asked++
      return isMessageDone(hash)
    }
    for (const data of messages) l2.doneMessages.add(keccak256Hash(data))
    for (let round = 0; round < 40; round++) {
      l1.mine([])
      l2.adopt(l1)
      const before = asked
      await world.status(tx.hash)
      assert.ok(asked - before <= 20, `${asked - before} questions in a round`)
    }
    assert.equal(await world.state(tx.hash), 'complete')
  })

  it('keeps a bounded number of transactions without deposits', async () => {
    const records = await openRecordStore(createMemoryStore())
    const record = (i: number): TransactionRecord => ({
      txHash: hashOf('other', i),
      submittedMs: 1_000 * i,
      block: { number: i, hash: hashOf('l1', i), timestampSec: i },
      reason: NO_DEPOSIT,
      deposits: [],
      reorged: false,
      pool: null,
    })
    for (let i = 1; i <= 30; i++) await records.update(hashOf('other', i), () => record(i))
    const limits = { blocksBeforeSec: 0, poolBeforeMs: 0, maxPool: 10, maxRefused: 10, limit: 15 }
    assert.deepEqual([await records.prune(limits), await records.prune(limits), await records.prune(limits)], [15, 5, 0])
    const kept = Array.from({ length: 30 }, (_, i) => i + 1).filter((i) => records.get(hashOf('other', i)) !== null)
    assert.deepEqual(kept, [21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
  })

  it('does not replay a reverted transaction that is expensive for the L1 node', async () => {
    const world = createWorld()
    const reverts = encodeCall('Error(string)', ['paused'])
    const [small, large] = [
      { ...depositTx('small'), reverts },
      { ...depositTx('large'), reverts, gasLimit: 30_000_000n },
    ]
    world.l1.mine([small, large])
    await world.open()
    assert.match((await world.status(small.hash)).reason?.text ?? '', /reverted on L1: paused/)
    const status = await world.status(large.hash)
    assert.deepEqual([status.state, status.reason?.code], ['failed', 'l1-reverted'])
    assert.doesNotMatch(status.reason?.text ?? '', /paused/)
  })
})
