import assert from 'node:assert/strict'
import { createMemoryStore, type KeyValueStore } from '@keelson/runtime'
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

  it('does not open with a record that cannot be read', () => {
    const store = createMemoryStore()
    void store.batch([{ put: Uint8Array.of(0x90), value: Uint8Array.of(1, 2, 3) }])
    assert.throws(() => openDiskLedger(store), { code: 'consensus/conductor', severity: 'critical', message: /stop all sequencers/ })
  })
})
