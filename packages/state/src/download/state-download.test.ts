import assert from 'node:assert/strict'
import { type Account, bigintToBytes, bytesToHex, EMPTY_CODE_HASH_BYTES, type Hash, keccak256, rlpEncode } from '@keelson/primitives'
import fc from 'fast-check'
import { createMemoryKeyValueStore } from '../memory-store.ts'
import { openStateStore } from '../open-state-store.ts'
import type { KeyValueStore } from '../ports.ts'
import { ALL_FINAL, fresh, grow } from '../state-world.test.ts'
import { walkTables } from '../walk-tables.ts'
import type { ReceivedAccount, StateDownload } from './state-download.ts'

const hashOf = (i: number) => keccak256(bigintToBytes(BigInt(i), 8))
const PROGRESS = Uint8Array.of(1, 2, 3)
const hashText = (root: Uint8Array) => bytesToHex(root) as Hash

function received(i: number, balance: number, slots: readonly (readonly [number, number])[]): ReceivedAccount {
  const account = { nonce: 1n, balanceWei: BigInt(balance), codeHash: EMPTY_CODE_HASH_BYTES }
  const leaves = slots.map(([slot, value]) => ({ key: hashOf(slot), value: value === 0 ? null : rlpEncode(BigInt(value)) }))
  return { addressHash: hashOf(i), account, slots: leaves }
}

async function assertWhole(store: KeyValueStore, download: StateDownload): Promise<void> {
  const nodes = new Map<string, string>()
  const walked = await walkTables(store, {
    node: (key, rlp) => nodes.set(bytesToHex(key), bytesToHex(rlp)),
    problem: (owner, what) => assert.fail(`${bytesToHex(owner)}: ${what}`),
    breathe: () => Promise.resolve(),
  })
  assert.equal(bytesToHex(walked.root), bytesToHex(download.root))
  const stored = new Map<string, string>()
  for await (const [key, rlp] of store.range(Uint8Array.of(0x14), Uint8Array.of(0x16))) stored.set(bytesToHex(key), bytesToHex(rlp))
  assert.deepEqual(stored, nodes)
}

const anyAccount = fc.record({
  i: fc.nat(12),
  gone: fc.boolean(),
  balance: fc.nat(1000),
  slots: fc.uniqueArray(fc.tuple(fc.nat(15), fc.nat(3)), { selector: ([slot]) => slot, maxLength: 8 }),
})

describe('downloading a state', () => {
  it('holds tables, tries and a root that agree after every write', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.uniqueArray(anyAccount, { selector: ({ i }) => i, maxLength: 6 }), { maxLength: 6 }), async (writes) => {
        const store = createMemoryKeyValueStore()
        const download = await (await openStateStore(store)).download()
        for (const changes of writes) {
          const accounts = changes.map(({ i, gone, balance, slots }) =>
            gone ? { addressHash: hashOf(i), account: null, slots: [] } : received(i, balance, slots),
          )
          await download.write({ accounts, codes: [], progress: PROGRESS })
          await assertWhole(store, download)
        }
      }),
      { numRuns: 40 },
    ))

  it('replaces the state of a store, and becomes the state of its block', async () => {
    const { store, state, genesis } = await fresh()
    const blocks = await grow(store, state, genesis, 8)
    await state.flatten((blocks.at(-1) as { hash: Hash }).hash, ALL_FINAL)
    const download = await state.download()
    assert.equal(state.disk, null)
    assert.equal(state.hasState(genesis.hash), false)
    await download.write({ accounts: [received(1, 5, [[1, 2]])], codes: [Uint8Array.of(7)], progress: PROGRESS })
    await assertWhole(store, download)
    const block = { hash: hashText(hashOf(99)), number: 70, stateRoot: hashText(download.root) }
    await assert.rejects(download.finish({ ...block, stateRoot: hashText(hashOf(1)) }), { code: 'state/bad-download' })
    await download.finish(block)
    assert.deepEqual(state.disk, block)
    assert.equal(state.downloading, false)
    assert.deepEqual((await openStateStore(store)).disk, block)
    assert.deepEqual(state.code(keccak256(Uint8Array.of(7))), Uint8Array.of(7))
    assert.equal(state.rangesAt(block)?.storage(hashOf(1))?.entries(new Uint8Array(32)) !== undefined, true)
  })

  it('continues after a restart where it was', async () => {
    const store = createMemoryKeyValueStore()
    const first = await (await openStateStore(store)).download()
    await first.write({ accounts: [received(1, 5, [[1, 2]])], codes: [], progress: PROGRESS })
    const state = await openStateStore(store)
    assert.equal(state.downloading, true)
    const again = await state.download()
    assert.deepEqual([again.root, again.progress], [first.root, PROGRESS])
    assert.equal((again.account(hashOf(1)) as Account).balanceWei, 5n)
  })

  it('drops the state in one batch with the records of its caller, and clears the tables later', async () => {
    const { store, state, genesis } = await fresh()
    await grow(store, state, genesis, 3)
    const [key, value] = [Uint8Array.of(0x7f), Uint8Array.of(1)]
    await state.startDownload([{ put: key, value }])
    assert.deepEqual([state.downloading, state.disk, state.layerCount, store.getSync(key)], [true, null, 0, value])
    const restarted = await openStateStore(store)
    assert.deepEqual([restarted.downloading, restarted.disk], [true, null])
    await assertWhole(store, await restarted.download())
  })

  it('clears the store again when it was interrupted while doing so', async () => {
    const { store, state, genesis } = await fresh()
    await grow(store, state, genesis, 3)
    let batches = 0
    const failing: KeyValueStore = {
      ...store,
      async batch(ops, options) {
        if (batches++ > 0) throw new Error('killed')
        await store.batch(ops, options)
      },
    }
    await assert.rejects((await openStateStore(failing)).download(), /killed/)
    const download = await (await openStateStore(store)).download()
    await assertWhole(store, download)
  })
})
