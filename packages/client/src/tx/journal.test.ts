import assert from 'node:assert/strict'
import { rlpEncode, toAddress, toHash } from '@keelson/primitives'
import { createMemoryStore } from '@keelson/runtime'
import fc from 'fast-check'
import { ClientError } from '../client-error.ts'
import { createTransactionJournal, type JournalEntry } from './journal.ts'

const account = toAddress(`0x${'0a'.repeat(20)}`)
const entry: JournalEntry = {
  nonce: 3n,
  label: 'a label',
  to: account,
  data: Uint8Array.of(1, 2, 3),
  valueWei: 4n,
  gasLimit: 21_000n,
  blobs: [],
  fees: { maxFeePerGasWei: 5n, maxPriorityFeePerGasWei: 1n, maxFeePerBlobGasWei: null },
  attempts: [toHash(new Uint8Array(32).fill(9))],
}

async function journaled() {
  const store = createMemoryStore()
  const journal = createTransactionJournal(store, 900n, account)
  await journal.put(entry)
  const records: [Uint8Array, Uint8Array][] = []
  for await (const [key, value] of store.range(Uint8Array.of(0), Uint8Array.of(255))) records.push([key, value])
  const [[key, value]] = records as [[Uint8Array, Uint8Array]]
  return { store, journal, key, value }
}

const remedy = { code: 'client/journal', message: new RegExp(`^the journal of ${account} on chain 900 has .* remove it, and start again`) }

describe('transaction journal', () => {
  it('gives back what was put in, and shows nothing of it to another account or chain', async () => {
    const { store, journal } = await journaled()
    assert.deepEqual(await journal.load(), [entry])
    assert.deepEqual(await createTransactionJournal(store, 901n, account).load(), [])
    assert.deepEqual(await createTransactionJournal(store, 900n, toAddress(`0x${'0b'.repeat(20)}`)).load(), [])
  })

  it('resumes no record that was cut off, has another format, or another nonce than its key, and says what to do', async () => {
    const { store, journal, key, value } = await journaled()
    for (const bad of [value.subarray(0, -1), new Uint8Array(0), rlpEncode([1, 3]), rlpEncode([])]) {
      await store.batch([{ put: key, value: bad }])
      await assert.rejects(journal.load(), remedy)
    }
    const other = await journaled()
    await other.store.batch([{ put: Uint8Array.from([...key.subarray(0, -1), 4]), value }])
    await assert.rejects(other.journal.load(), { ...remedy, message: /nonce 4 .*it has nonce 3/ })
    const newer = value.slice()
    assert.equal(newer[value[0] === 0xf8 ? 2 : 1], 1)
    newer[value[0] === 0xf8 ? 2 : 1] = 2
    await store.batch([{ put: key, value: newer }])
    await assert.rejects(journal.load(), { ...remedy, message: /format: 2, this release reads 1/ })
  })

  it('reads any bytes as records of the account, or refuses them by name', async () => {
    const { store, journal, key, value } = await journaled()
    const changes = fc.array(fc.tuple(fc.nat(value.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(changes, async (bytes) => {
        const changed = value.slice()
        for (const [at, byte] of bytes) changed[at] = byte
        await store.batch([{ put: key, value: changed }])
        const found = await journal.load().catch((error: unknown) => error)
        if (found instanceof ClientError) assert.equal(found.code, 'client/journal')
        else assert.equal((found as JournalEntry[])[0]?.nonce, 3n)
      }),
    )
  })

  it('refuses payments that cannot be read', async () => {
    const { store, journal } = await journaled()
    await journal.remove(3n, { atMs: 1000, feeWei: 7n })
    for await (const [key] of store.range(Uint8Array.of(0), Uint8Array.of(255))) {
      await store.batch([{ put: key, value: rlpEncode([1000, new Uint8Array(40).fill(1)]) }])
    }
    await assert.rejects(journal.loadPayments(0, 2000), remedy)
  })
})
