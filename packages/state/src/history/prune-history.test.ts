import assert from 'node:assert/strict'
import { EMPTY_CODE_HASH_BYTES, encodeStateDiff, keccak256, keccak256Hash } from '@keelson/primitives'
import { BUCKETS } from '../buckets.ts'
import { computeGenesisState } from '../genesis.ts'
import { createMemoryKeyValueStore } from '../memory-store.ts'
import { openStateStore } from '../open-state-store.ts'
import type { StateView } from '../ports.ts'
import { assertView, collect, genesisAlloc, type ModelBlock, modelAddress, modelGenesis } from '../state-model.test.ts'
import { ALL_FINAL, fresh, GENESIS, grow, SMALL } from '../state-world.test.ts'

describe('background work of the state store', () => {
  it('prunes to a smaller window piece by piece, and keeps everything without a limit', async () => {
    const archive = { ...SMALL, historyBlocks: Number.POSITIVE_INFINITY, historyBytes: Number.POSITIVE_INFINITY }
    const { store, state, genesis } = await fresh(archive)
    const blocks = [genesis, ...(await grow(store, state, genesis, 300))]
    const head = (blocks[300] as ModelBlock).hash
    while ((await state.flatten(head, ALL_FINAL)) !== null);
    assert.equal(state.oldestHistory, 0)
    assertView(state.viewAtNumber(0), GENESIS)
    const windowed = await openStateStore(store, { ...SMALL, historyBlocks: 20 })
    const steps: number[] = []
    while ((await windowed.flatten(head, ALL_FINAL)) !== null) steps.push(windowed.oldestHistory as number)
    assert.deepEqual(steps, [128, 256, 278])
    for (let n = 278; n <= 298; n++) assertView(windowed.viewAtNumber(n), (blocks[n] as ModelBlock).state)
    assert.equal(windowed.viewAtNumber(277), null)
    const byBytes = await openStateStore(store, { ...SMALL, historyBlocks: 20, historyBytes: windowed.historyBytes / 2 })
    while ((await byBytes.flatten(head, ALL_FINAL)) !== null);
    assert.ok(byBytes.historyBytes <= windowed.historyBytes / 2)
    assert.ok((byBytes.oldestHistory as number) > 278)
    const none = await openStateStore(store, { ...SMALL, historyBlocks: 0 })
    while ((await none.flatten(head, ALL_FINAL)) !== null);
    const left = await collect(store.range(Uint8Array.of(BUCKETS.historyValue), Uint8Array.of(BUCKETS.historyBlock + 1)))
    assert.deepEqual([left.length, none.historyBytes], [0, 0])
  })

  it('yields while it processes many keys', async () => {
    const store = createMemoryKeyValueStore()
    let turns = 0
    let atGenesis: StateView | null = null
    const breathe = async () => {
      turns++
      assertView(atGenesis, GENESIS)
    }
    const state = await openStateStore(store, { ...SMALL, keepLayers: 0 }, { breathe })
    const genesis = modelGenesis(GENESIS)
    await state.initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
    atGenesis = state.viewAt(genesis.hash)
    const slots = Array.from(
      { length: 1_000 },
      (_, i) => [keccak256(Uint8Array.of(i >> 8, i & 255)), keccak256(Uint8Array.of(i & 255))] as const,
    )
    const account = { address: modelAddress(20), deleted: false, storageReset: false, nonce: 1n, balanceWei: 1n }
    const diff = encodeStateDiff({ accounts: [{ ...account, codeHash: EMPTY_CODE_HASH_BYTES, slots }], codes: [] })
    const hash = keccak256Hash(Uint8Array.of(20))
    const staged = state.stageLayer({ hash, parentHash: genesis.hash, number: 1, diff, computed: state.rootOf(genesis.hash, diff) })
    await store.batch(staged.ops)
    staged.publish()
    await state.flatten(hash, ALL_FINAL)
    assert.equal(state.disk?.number, 1)
    assert.ok(turns >= 8, `${turns} turns for 1,000 slots, their nodes and the history of both`)
  })
})
