import assert from 'node:assert/strict'
import type { Bytes20 } from '@keelson/primitives'
import { BUCKETS } from '../buckets.ts'
import { computeGenesisState } from '../genesis.ts'
import { createMemoryKeyValueStore } from '../memory-store.ts'
import { openStateStore } from '../open-state-store.ts'
import type { KeyValueStore } from '../ports.ts'
import { assertView, genesisAlloc, importBlock, type ModelBlock, modelAddress, modelChild, modelGenesis } from '../state-model.test.ts'
import { ALL_FINAL, GENESIS, SMALL, write } from '../state-world.test.ts'

const ADDRESSES: readonly Bytes20[] = [...GENESIS.keys(), 99].map(modelAddress)

/** Reads many keys when asked, and answers when `release` is called. */
function slowStore() {
  const inner = createMemoryKeyValueStore()
  const read: number[] = []
  let waiting: (() => void)[] = []
  const store: KeyValueStore = {
    ...inner,
    getSync(key) {
      read.push(key[0] as number)
      return inner.getSync(key)
    },
    getMany(keys) {
      const values = keys.map((key) => inner.getSync(key))
      return new Promise((resolve) => waiting.push(() => resolve(values)))
    },
  }
  const release = () => {
    for (const answer of waiting) answer()
    waiting = []
  }
  return { store, release, read }
}

async function open() {
  const slow = slowStore()
  const genesis = modelGenesis(GENESIS)
  await (await openStateStore(slow.store, SMALL)).initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
  const state = await openStateStore(slow.store, { ...SMALL, keepLayers: 0, cacheBytes: 2 ** 20 })
  return { ...slow, state, genesis }
}

describe('reading ahead', () => {
  it('leaves no account and no node above it to be read by execution and root', async () => {
    const { state, store, release, read, genesis } = await open()
    const ahead = state.prefetch(genesis.hash, ADDRESSES)
    release()
    await Promise.all([ahead.accounts, ahead.nodes])
    read.length = 0
    for (const address of ADDRESSES) state.viewAt(genesis.hash)?.account(address)
    const { block, diff } = modelChild(
      genesis,
      [...GENESIS.keys()].map((i) => write(i, [], 9)),
    )
    await importBlock(store, state, block, diff)
    assert.deepEqual(
      read.filter((bucket) => bucket === BUCKETS.account || bucket === BUCKETS.accountNode),
      [],
    )
    assertView(state.viewAt(block.hash), block.state)
  })

  it('keeps no value that a flatten replaced before the answer came', async () => {
    const { state, store, release, genesis } = await open()
    const ahead = state.prefetch(genesis.hash, ADDRESSES)
    let head: ModelBlock = genesis
    for (const balance of [9, 10]) {
      const { block, diff } = modelChild(head, [write(0, [[1, 3]], balance), write(5, [], balance)])
      await importBlock(store, state, block, diff)
      head = block
      assert.notEqual(await state.flatten(head.hash, ALL_FINAL), null)
    }
    release()
    await Promise.all([ahead.accounts, ahead.nodes])
    assertView(state.viewAt(head.hash), head.state)
    const { block, diff } = modelChild(head, [write(5, [], 11)])
    await importBlock(store, state, block, diff)
    assertView(state.viewAt(block.hash), block.state)
  })
})
