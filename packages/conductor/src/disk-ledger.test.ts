import assert from 'node:assert/strict'
import { utf8ToBytes } from '@keelson/primitives'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from './buckets.ts'
import { blockOn, GENESIS } from './conductor.test-support.ts'
import { openDiskLedger } from './disk-ledger.ts'
import { describeLedger } from './ledger.test-support.ts'

describeLedger('a ledger on disk', async () => {
  const store = createMemoryStore()
  return { open: async () => openDiskLedger(store), close: async () => undefined }
})

describe('a ledger on disk', () => {
  it('syncs each change before it resolves', async () => {
    const memory = createMemoryStore()
    const syncs: (boolean | undefined)[] = []
    const store: KeyValueStore = {
      ...memory,
      batch(ops, options) {
        syncs.push(options?.sync)
        return memory.batch(ops, options)
      },
    }
    const ledger = openDiskLedger(store)
    await ledger.grant('a', 0)
    await ledger.adopt(1, GENESIS)
    await ledger.append(1, blockOn(GENESIS))
    assert.deepEqual(syncs, [true, true, true])
  })

  const LEASE = Uint8Array.of(BUCKETS.lease)
  const HEAD = Uint8Array.of(BUCKETS.head)
  for (const [name, key, text] of [
    ['no JSON', LEASE, '\x01\x02\x03'],
    ['another shape', LEASE, '[]'],
    ['a term below 0', LEASE, '{"term":-1,"holder":"a"}'],
    ['a broken term', LEASE, '{"term":1.5,"holder":"a"}'],
    ['no holder', LEASE, '{"term":1}'],
    ['a number of a block beyond 2^53', HEAD, `{"number":1e300,"hash":"${GENESIS.hash}"}`],
    ['a number of a block that is text', HEAD, `{"number":"1","hash":"${GENESIS.hash}"}`],
    ['half a hash', HEAD, '{"number":1,"hash":"0x01"}'],
  ] as const) {
    it(`does not open with a record that has ${name}`, () => {
      const store = createMemoryStore()
      void store.batch([{ put: key, value: utf8ToBytes(text) }])
      assert.throws(() => openDiskLedger(store), { code: 'consensus/conductor', severity: 'critical', message: /stop all sequencers/ })
    })
  }
})
