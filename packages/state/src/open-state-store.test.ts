import assert from 'node:assert/strict'
import { createMPT, verifyMPTWithMerkleProof } from '@ethereumjs/mpt'
import { bytesToHex, encodeStateDiff, hexToBytes, keccak256, keccak256Hash } from '@keelson/primitives'
import fc from 'fast-check'
import { decodeTrieAccount } from './account-codec.ts'
import { BUCKETS } from './buckets.ts'
import { computeGenesisState } from './genesis.ts'
import { createMemoryKeyValueStore } from './memory-store.ts'
import { openStateStore } from './open-state-store.ts'
import type { KeyValueStore } from './ports.ts'
import {
  assertView,
  CRASH,
  collect,
  crashingStore,
  genesisAlloc,
  importBlock,
  MODEL_ADDRESSES,
  MODEL_SLOTS,
  type ModelBlock,
  type ModelOp,
  modelAddress,
  modelChild,
  modelGenesis,
  modelRoots,
  modelSlot,
} from './state-model.test.ts'
import { ALL_FINAL, fresh, GENESIS, grow, NOTHING_FINAL, SMALL, write } from './state-world.test.ts'

const opArbitrary: fc.Arbitrary<ModelOp> = fc.record({
  address: fc.nat(MODEL_ADDRESSES - 1),
  kind: fc.constantFrom('write', 'write', 'write', 'reset', 'delete'),
  balance: fc.nat(1_000_000),
  code: fc.constantFrom(0, 0, 0, 3, 40),
  slots: fc.array(fc.tuple(fc.nat(MODEL_SLOTS - 1), fc.constantFrom(0, 0, 1, 2, 77, 200)), { maxLength: 5 }),
})
const stepArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('block' as const), parent: fc.nat(), ops: fc.array(opArbitrary, { maxLength: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flatten' as const), head: fc.nat(), all: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const) }) },
)

describe('the state store', () => {
  it('agrees with a naive model over random blocks, branches, flattens, restarts and rollbacks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 5, maxLength: 40 }), fc.constantFrom(1, 3), async (steps, maxFlattenLayers) => {
        const options = { ...SMALL, keepLayers: 1, maxFlattenLayers }
        let { store, state, genesis } = await fresh(options)
        let live = [genesis]
        const onDisk = [genesis]
        for (const step of steps) {
          if (step.kind === 'block') {
            // The newest block is extended most often, so that chains get long enough to be flattened.
            const parent = live[step.parent % 3 === 0 ? step.parent % live.length : live.length - 1] as ModelBlock
            const { block, diff } = modelChild(parent, step.ops)
            assert.equal(await importBlock(store, state, block, diff), (await modelRoots(block.state)).root)
            live.push(block)
          } else if (step.kind === 'flatten') {
            const head = live[step.head % live.length] as ModelBlock
            const done = await state.flatten(head.hash, step.all ? ALL_FINAL : NOTHING_FINAL)
            if (done !== null) {
              const moved = live.filter((b) => b.number > (onDisk.at(-1) as ModelBlock).number && b.number <= done.flattened.number)
              onDisk.push(...lineOf(moved, done.flattened.hash))
              live = live.filter((b) => state.hasState(b.hash))
            }
          } else if (step.kind === 'restart') {
            state = await openStateStore(store, options)
          } else {
            const possible = state.oldestHistory !== state.disk?.number
            const back = await state.rollback()
            assert.equal(back !== null, possible)
            if (back !== null) {
              onDisk.pop()
              live = [onDisk.at(-1) as ModelBlock]
              assert.equal(back.hash, live[0]?.hash)
            }
          }
          for (const block of live) assertView(state.viewAt(block.hash), block.state)
          for (const block of onDisk) {
            if (block.number >= (state.oldestHistory as number)) assertView(state.viewAtNumber(block.number), block.state)
            else assert.equal(state.viewAtNumber(block.number), null)
          }
        }
        // The remaining states must be provable, and the tables must hold nothing else.
        for (const block of onDisk.filter((b) => b.number >= (state.oldestHistory as number))) {
          const proof = state.proofAtNumber(block.number, modelAddress(1), [modelSlot(1)])
          const { root } = await modelRoots(block.state)
          const value = await verifyMPTWithMerkleProof(await createMPT(), hexToBytes(root), keccak256(modelAddress(1)), [
            ...(proof?.accountProof ?? []),
          ])
          assert.deepEqual(value === null ? null : decodeTrieAccount(value), proof?.account)
        }
        await assertTables(store, onDisk.at(-1) as ModelBlock)
      }),
      { numRuns: 60 },
    )
  })

  it('recovers its layers without executing anything, and deletes dead ones', async () => {
    const { store, state, genesis } = await fresh()
    const main = await grow(store, state, genesis, 5)
    const side = await grow(store, state, main[0] as ModelBlock, 2)
    const reopened = await openStateStore(store, SMALL)
    assert.equal(reopened.layerCount, 7)
    for (const block of [...main, ...side]) assertView(reopened.viewAt(block.hash), block.state)
    const first = await reopened.flatten(main[4]?.hash as never, ALL_FINAL)
    assert.deepEqual(first?.dropped, [])
    const second = await reopened.flatten(main[4]?.hash as never, ALL_FINAL)
    assert.deepEqual(new Set(second?.dropped), new Set(side.map((b) => b.hash)))
    assert.equal((await openStateStore(store, SMALL)).layerCount, 3)
  })

  it('flattens only layers that are final and deep enough, unless a cap is reached', async () => {
    const { store, state, genesis } = await fresh({ ...SMALL, maxLayers: 6 })
    const blocks = await grow(store, state, genesis, 6)
    const head = (blocks[5] as ModelBlock).hash
    assert.equal(await state.flatten(head, 0), null)
    assert.equal((await state.flatten(head, 2))?.flattened.number, 1)
    assert.equal((await state.flatten(head, 2))?.flattened.number, 2)
    assert.equal(await state.flatten(head, 2), null)
    const more = await grow(store, state, blocks[5] as ModelBlock, 3)
    assert.equal((await state.flatten((more[2] as ModelBlock).hash, 2))?.flattened.number, 3)
    assert.equal(await state.flatten((more[2] as ModelBlock).hash, 2), null)
    const tight = await openStateStore(store, { ...SMALL, maxLayerBytes: 1 })
    assert.equal((await tight.flatten((more[2] as ModelBlock).hash, 2))?.flattened.number, 4)
  })

  it('groups layers into one flatten, settled ones or those above the cap and no other', async () => {
    const { store, state, genesis } = await fresh({ ...SMALL, keepLayers: 16, maxLayers: 20, maxFlattenLayers: 8 })
    const blocks = await grow(store, state, genesis, 21)
    const at = (number: number) => (blocks[number - 1] as ModelBlock).hash
    assert.equal(await state.flatten(at(17), ALL_FINAL), null)
    assert.equal((await state.flatten(at(18), ALL_FINAL))?.flattened.number, 2)
    assert.equal(await state.flatten(at(19), ALL_FINAL), null)
    const { state: unsettled, store: other, genesis: first } = await fresh({ ...SMALL, keepLayers: 16, maxLayers: 20, maxFlattenLayers: 8 })
    const tower = await grow(other, unsettled, first, 22)
    assert.equal(await unsettled.flatten((tower[20] as ModelBlock).hash, 0), null)
    assert.equal((await unsettled.flatten((tower[21] as ModelBlock).hash, 0))?.flattened.number, 2)
    assert.equal(await unsettled.flatten((tower[21] as ModelBlock).hash, 0), null)
  })

  it('serves open views of blocks flattened meanwhile, one by one or several at once, from the history', async () => {
    for (const maxFlattenLayers of [1, 4]) {
      const { store, state, genesis } = await fresh({ ...SMALL, maxFlattenLayers })
      const blocks = [genesis, ...(await grow(store, state, genesis, 8))]
      const views = blocks.map((block) => [block, state.viewAt(block.hash)] as const)
      const assertViews = () => {
        for (const [block, view] of views) assertView(view, block.state)
      }
      for (let left = 6; left > 0; left -= maxFlattenLayers) {
        const flattening = state.flatten((blocks[8] as ModelBlock).hash, ALL_FINAL)
        assertViews()
        await flattening
        assertViews()
      }
      assert.equal(state.disk?.number, 6)
    }
  })

  it('rejects views whose branch was dropped or whose history was pruned', async () => {
    const { store, state, genesis } = await fresh({ ...SMALL, historyBlocks: 1 })
    const old = state.viewAt(genesis.hash)
    const side = await grow(store, state, genesis, 1)
    const dead = state.viewAt((side[0] as ModelBlock).hash)
    const blocks = await grow(store, state, genesis, 6)
    await state.flatten((blocks[5] as ModelBlock).hash, ALL_FINAL)
    assert.throws(() => dead?.account(modelAddress(1)), { code: 'state/stale-view', severity: 'temporary' })
    assertView(old, GENESIS)
    await state.flatten((blocks[5] as ModelBlock).hash, ALL_FINAL)
    assert.throws(() => old?.account(modelAddress(1)), { code: 'state/stale-view' })
    assert.equal(state.oldestHistory, 1)
  })

  it('never reads across a gap in the history', async () => {
    const { store, state, genesis } = await fresh()
    const blocks = await grow(store, state, genesis, 12)
    const head = (blocks[11] as ModelBlock).hash
    await state.flatten(head, ALL_FINAL)
    const without = await openStateStore(store, { ...SMALL, historyBlocks: 0 })
    await without.flatten(head, ALL_FINAL)
    assert.equal(without.oldestHistory, 2)
    assert.equal(without.viewAtNumber(1), null)
    const again = await openStateStore(store, SMALL)
    for (let i = 0; i < 4; i++) await again.flatten(head, ALL_FINAL)
    for (let n = again.oldestHistory as number; n <= 6; n++) assertView(again.viewAtNumber(n), (blocks[n - 1] as ModelBlock).state)
    assert.ok((again.oldestHistory as number) < 6, 'history began again')
  })

  it('prunes history to its window and leaves no record behind', async () => {
    const { store, state, genesis } = await fresh({ ...SMALL, historyBlocks: 3 })
    let head = genesis
    const blocks: ModelBlock[] = [genesis]
    for (let i = 0; i < 12; i++) {
      const [block] = await grow(store, state, head, 1)
      head = block as ModelBlock
      blocks.push(head)
      await state.flatten(head.hash, ALL_FINAL)
    }
    assert.equal(state.disk?.number, 10)
    assert.equal(state.oldestHistory, 7)
    for (let n = 7; n <= 10; n++) assertView(state.viewAtNumber(n), (blocks[n] as ModelBlock).state)
    const manifests = await collect(store.range(Uint8Array.of(BUCKETS.historyBlock), Uint8Array.of(BUCKETS.historyBlock + 1)))
    assert.equal(manifests.length, 3)
    const none = await openStateStore(store, { ...SMALL, historyBlocks: 0 })
    const last = await grow(store, none, head, 1)
    await none.flatten((last[0] as ModelBlock).hash, ALL_FINAL)
    const left = await collect(store.range(Uint8Array.of(BUCKETS.historyValue), Uint8Array.of(BUCKETS.historyBlock + 1)))
    assert.equal(left.length, 0)
  })

  it('lists accounts and slots in order of their hashes, merging layers with the disk', async () => {
    const { store, state, genesis } = await fresh()
    const { block, diff } = modelChild(genesis, [
      { address: 0, kind: 'reset', balance: 1, code: 0, slots: [[9, 3]] },
      { address: 2, kind: 'delete', balance: 0, code: 0, slots: [] },
      write(1, [
        [1, 0],
        [6, 4],
      ]),
      write(9, []),
    ])
    await importBlock(store, state, block, diff)
    const accounts = await collect(state.dumpAccounts(block.hash))
    const expected = [...block.state.keys()].sort((a, b) =>
      bytesToHex(keccak256(modelAddress(a))) < bytesToHex(keccak256(modelAddress(b))) ? -1 : 1,
    )
    assert.deepEqual(
      accounts.map((row) => row.address),
      expected.map(modelAddress),
    )
    assert.equal(accounts[0]?.account.balanceWei, block.state.get(expected[0] as number)?.balanceWei)
    const later = await collect(state.dumpAccounts(block.hash, accounts[2]?.addressHash))
    assert.deepEqual(
      later.map((row) => row.address),
      accounts.slice(2).map((row) => row.address),
    )
    const slots = await collect(state.dumpStorage(block.hash, modelAddress(1)))
    assert.deepEqual(new Set(slots.map((row) => row.slot?.[31])), new Set([0, 2, 5, 6]))
    assert.deepEqual(
      (await collect(state.dumpStorage(block.hash, modelAddress(0)))).map((row) => row.slot?.[31]),
      [9],
    )
  })

  it('returns the storage root of changed and unchanged accounts', async () => {
    const { state, genesis } = await fresh()
    const { block, diff } = modelChild(genesis, [write(1, [[4, 9]])])
    const computed = state.rootOf(genesis.hash, diff)
    const { storage } = await modelRoots(block.state)
    for (const i of [0, 1, 5]) assert.equal(bytesToHex(computed.storageRoot(modelAddress(i)) as Uint8Array), storage.get(i))
    assert.equal(computed.storageRoot(modelAddress(11)), null)
    assert.equal(bytesToHex(state.storageRoot(genesis.hash, modelAddress(0)) as Uint8Array), (await modelRoots(GENESIS)).storage.get(0))
  })

  it('reports a missing genesis, a second genesis, an unknown parent and concurrent moves', async () => {
    const empty = await openStateStore(createMemoryKeyValueStore())
    assert.equal(empty.disk, null)
    assert.equal(empty.viewAt(keccak256Hash(Uint8Array.of(1))), null)
    assert.throws(() => empty.rootOf(keccak256Hash(Uint8Array.of(1)), encodeStateDiff({ accounts: [], codes: [] })), {
      code: 'state/not-initialised',
    })
    const { store, state, genesis } = await fresh()
    await assert.rejects(state.initGenesis(computeGenesisState([]), genesis), { code: 'state/already-initialised' })
    const { block, diff } = modelChild(genesis, [write(1, [])])
    const computed = state.rootOf(genesis.hash, diff)
    const orphan = { hash: block.hash, parentHash: keccak256Hash(Uint8Array.of(9)), number: 1, diff, computed }
    assert.throws(() => state.stageLayer(orphan), { code: 'state/unknown-parent', severity: 'reset' })
    const blocks = await grow(store, state, genesis, 4)
    const head = (blocks[3] as ModelBlock).hash
    const first = state.flatten(head, ALL_FINAL)
    await assert.rejects(state.flatten(head, ALL_FINAL), { code: 'state/busy' })
    assert.equal((await first)?.flattened.number, 1)
  })
})

function lineOf(blocks: readonly ModelBlock[], last: string): ModelBlock[] {
  const line: ModelBlock[] = []
  let at = blocks.find((block) => block.hash === last)
  while (at !== undefined) {
    line.unshift(at)
    const parentHash = at.parent?.hash
    at = blocks.find((block) => block.hash === parentHash)
  }
  return line
}

describe('the state store after a crash', () => {
  for (const group of [1, 3])
    it(`is consistent after any lost write, with ${group} blocks per flatten`, async () => {
      const options = { ...SMALL, maxFlattenLayers: group }
      // Each write in turn fails and ends the process.
      for (let crashAt = 0, crashed = true; crashed; crashAt++) {
        const inner = createMemoryKeyValueStore()
        const { store, crashAfter } = crashingStore(inner)
        crashAfter(crashAt)
        const genesis = modelGenesis(GENESIS)
        const blocks = [genesis]
        const side: ModelBlock[] = []
        const run = async () => {
          const state = await openStateStore(store, options)
          await state.initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
          for (let i = 0; i < 8; i++) {
            blocks.push(...(await grow(store, state, blocks.at(-1) as ModelBlock, 1)))
            side.push(...(await grow(store, state, blocks.at(-2) as ModelBlock, 1)))
            if (i % group === group - 1) await state.flatten((blocks.at(-1) as ModelBlock).hash, ALL_FINAL)
          }
        }
        crashed = await run().then(
          () => false,
          (error) => {
            assert.equal(error.message, CRASH)
            return true
          },
        )
        const reopened = await openStateStore(inner, options)
        if (crashAt === 0) assert.equal(reopened.disk, null)
        else {
          const disk = blocks.find((b) => b.hash === reopened.disk?.hash) as ModelBlock
          assert.equal(reopened.disk?.stateRoot, (await modelRoots(disk.state)).root)
          await assertTables(inner, disk)
          const found = [...blocks, ...side].filter((b) => reopened.hasState(b.hash))
          assert.equal(found.length, reopened.layerCount + 1)
          for (const block of found) assertView(reopened.viewAt(block.hash), block.state)
          for (let n = reopened.oldestHistory as number; n <= disk.number; n++)
            assertView(reopened.viewAtNumber(n), (blocks[n] as ModelBlock).state)
          const head = found.sort((a, b) => b.number - a.number)[0] as ModelBlock
          const next = modelChild(head, [write(3, [[2, 99]])])
          assert.equal(await importBlock(inner, reopened, next.block, next.diff), (await modelRoots(next.block.state)).root)
        }
      }
    })
})

async function assertTables(store: KeyValueStore, block: ModelBlock): Promise<void> {
  const other = createMemoryKeyValueStore()
  await (await openStateStore(other)).initGenesis(computeGenesisState(genesisAlloc(block.state)), block)
  for (const bucket of [BUCKETS.account, BUCKETS.slot, BUCKETS.accountNode, BUCKETS.storageNode]) {
    const range = [Uint8Array.of(bucket), Uint8Array.of(bucket + 1)] as const
    const rows = async (kv: KeyValueStore) =>
      (await collect(kv.range(...range))).map(([key, value]) => [bytesToHex(key), bytesToHex(value)])
    assert.deepEqual(await rows(store), await rows(other), `bucket 0x${bucket.toString(16)}`)
  }
}
