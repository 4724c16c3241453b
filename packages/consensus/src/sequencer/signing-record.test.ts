import assert from 'node:assert/strict'
import { type Hash, type PayloadEnvelope, toHash, ZERO_HASH } from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { makePayload, type PayloadRequest } from '../../../../test/support/payloads.ts'
import { BUCKETS } from '../store/buckets.ts'
import { createSigningRecord } from './signing-record.ts'

const hashOf = (n: number): Hash => toHash(`0x${n.toString(16).padStart(64, '0')}`)

function block(number: number, change: Partial<PayloadRequest> = {}): PayloadEnvelope {
  const request = { number, parentHash: hashOf(number - 1), timestampSec: number * 2, l1Origin: { hash: hashOf(7), number: 7 } }
  return makePayload({ ...request, sequenceNumber: number, ...change })
}

const OTHER = { transactions: [Uint8Array.of(2, 0xc0)] }

async function countOf(store: KeyValueStore, bucket: number): Promise<number> {
  let count = 0
  for await (const _ of store.range(Uint8Array.of(bucket), Uint8Array.of(bucket + 1))) count++
  return count
}

function newRecord(store: KeyValueStore = createMemoryStore(), at = { due: 0 }) {
  return createSigningRecord(store, { genesis: 0, dueIn: (aheadMs) => at.due + aheadMs / 2_000 })
}

describe('the signing record', () => {
  it('admits one block per place, repeatedly and over restarts', async () => {
    const store = createMemoryStore()
    for (const record of [newRecord(store), newRecord(store)]) {
      assert.equal(await record.admit(block(5)), 'granted')
      assert.equal(await record.admit(block(5, OTHER)), 'another-signed')
    }
  })

  it('distinguishes places by height, parent and L1 origin', async () => {
    const record = newRecord()
    assert.equal(await record.admit(block(5)), 'granted')
    assert.equal(await record.admit(block(5, { ...OTHER, parentHash: hashOf(99) })), 'granted')
    assert.equal(await record.admit(block(5, { ...OTHER, l1Origin: { hash: hashOf(8), number: 7 } })), 'granted')
    assert.equal(await record.admit(block(5, { ...OTHER, sequenceNumber: 1 })), 'granted')
    assert.equal(await record.admit(block(6, OTHER)), 'granted')
    assert.equal(await record.admit(block(5, OTHER)), 'another-signed')
  })

  it('admits the first of two concurrent blocks', async () => {
    const record = newRecord()
    assert.deepEqual(await Promise.all([record.admit(block(5)), record.admit(block(5, OTHER))]), ['granted', 'another-signed'])
  })

  it('syncs each write, and grants nothing that was not written', async () => {
    const inner = createMemoryStore()
    let full = true
    const syncs: unknown[] = []
    const store: KeyValueStore = {
      ...inner,
      async batch(ops, options) {
        syncs.push(options?.sync)
        if (full) throw new Error('no space left on device')
        return inner.batch(ops, options)
      },
    }
    const record = newRecord(store)
    await assert.rejects(record.admit(block(5)), /no space left/)
    full = false
    assert.equal(await record.admit(block(5, OTHER)), 'granted')
    assert.equal(await record.admit(block(5)), 'another-signed')
    assert.deepEqual(syncs, [true, true])
  })

  it('signs no height at or below a block of another node', async () => {
    const record = newRecord()
    assert.equal(await record.admit(block(5)), 'granted')
    await record.others(5, block(5).payload.blockHash)
    assert.equal(await record.admit(block(5, { l1Origin: { hash: hashOf(8), number: 7 } })), 'granted', 'its own block is no other’s work')
    await record.others(9, hashOf(9))
    assert.equal(await record.admit(block(9)), 'height-unknown')
    assert.equal(await record.admit(block(7)), 'height-unknown')
    assert.equal(await record.admit(block(5)), 'granted', 'what was signed may be signed again')
  })

  it('signs no second block after the execution client lost one, with a new or restored store', async () => {
    const old = createMemoryStore()
    assert.equal(await newRecord(old).admit(block(60)), 'granted')
    for (const store of [createMemoryStore(), old]) {
      const before = newRecord()
      for (const number of [100, 101]) assert.equal(await before.admit(block(number)), 'granted')
      const at = { due: 101 }
      const after = newRecord(store, at)
      await after.others(100, block(100).payload.blockHash)
      assert.equal(await after.admit(block(101, OTHER)), 'height-unknown')
      at.due = 120
      await after.others(101, block(101, OTHER).payload.blockHash)
      assert.equal(await after.admit(block(103)), 'height-unknown', 'a peer may have believed it before its time')
      assert.equal(await after.admit(block(104)), 'granted', 'its own unsigned blocks do not close more heights')
    }
  })

  it('signs the first block of a new chain, however old', async () => {
    const record = newRecord(createMemoryStore(), { due: 1_000 })
    await record.others(0, hashOf(0))
    assert.equal(await record.admit(block(1)), 'granted')
  })

  it('returns the signed blocks on a parent, and keeps the last 32 whole', async () => {
    const store = createMemoryStore()
    const record = newRecord(store)
    for (let number = 1; number <= 50; number++) await record.admit(block(number))
    await record.admit(block(50, { ...OTHER, sequenceNumber: 0 }))
    assert.equal(await countOf(store, BUCKETS.signedPayload), 33)
    assert.equal(await countOf(store, BUCKETS.signedPlace), 51)
    const again = newRecord(store)
    assert.deepEqual(await again.signedOn({ number: 39, hash: hashOf(39) }), [block(40)])
    assert.equal((await again.signedOn({ number: 49, hash: hashOf(49) })).length, 2)
    assert.deepEqual(await again.signedOn({ number: 39, hash: ZERO_HASH }), [])
    assert.deepEqual(await again.signedOn({ number: 17, hash: hashOf(17) }), [], 'too old')
    assert.deepEqual(await again.signedOn({ number: 50, hash: hashOf(50) }), [])
  })

  it('keeps at most 64 MiB of blocks, and always the last one', async () => {
    const store = createMemoryStore()
    const record = newRecord(store)
    const large = (number: number) => block(number, { transactions: [new Uint8Array(9 * 1024 * 1024)] })
    for (let number = 1; number <= 9; number++) await record.admit(large(number))
    assert.equal(await countOf(store, BUCKETS.signedPayload), 7)
    assert.equal((await record.signedOn({ number: 8, hash: hashOf(8) })).length, 1)
  })

  it('deletes places after two days, and no longer signs at their heights', async () => {
    const store = createMemoryStore()
    const record = newRecord(store)
    for (const number of [1, 2, 86_410]) await record.admit(block(number))
    assert.equal(await countOf(store, BUCKETS.signedPlace), 1)
    assert.equal(await record.admit(block(2, OTHER)), 'height-unknown')
  })
})
