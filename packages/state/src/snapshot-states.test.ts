import assert from 'node:assert/strict'
import { bytesToHex, encodeStateDiff, type Hash } from '@keelson/primitives'
import fc from 'fast-check'
import { BUCKETS } from './buckets.ts'
import { computeGenesisState } from './genesis.ts'
import { createMemoryKeyValueStore } from './memory-store.ts'
import { openStateStore } from './open-state-store.ts'
import type { KeyValueReader } from './ports.ts'
import { createSnapshotStates, type StateSnapshot } from './snapshot-states.ts'
import {
  assertView,
  genesisAlloc,
  importBlock,
  MODEL_ADDRESSES,
  MODEL_SLOTS,
  type ModelBlock,
  type ModelOp,
  type ModelState,
  modelAddress,
  modelChild,
  modelGenesis,
  modelSlot,
} from './state-model.test.ts'
import type { StateReads } from './state-store.ts'

const GENESIS: ModelState = new Map(
  [0, 1, 2, 3].map((i) => [
    i,
    { nonce: 1n, balanceWei: BigInt(9 * i), code: new Uint8Array(i), slots: new Map([1, 2].map((slot) => [slot, slot + i] as const)) },
  ]),
)

const modelOp: fc.Arbitrary<ModelOp> = fc.record({
  address: fc.nat(MODEL_ADDRESSES - 1),
  kind: fc.constantFrom('write', 'write', 'write', 'reset', 'delete'),
  balance: fc.nat(1000),
  code: fc.constantFrom(0, 0, 3, 40),
  slots: fc.array(fc.tuple(fc.nat(MODEL_SLOTS - 1), fc.nat(3)), { maxLength: 4 }),
})
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('import' as const), parent: fc.nat(3), ops: fc.array(modelOp, { maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('flatten' as const), head: fc.nat(3), final: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('open' as const), keep: fc.boolean(), load: fc.boolean() }) },
)

function answers(state: StateReads, blocks: readonly ModelBlock[]): string[] {
  const diff = encodeStateDiff({ accounts: [], codes: [] })
  const address = modelAddress(1)
  const slots = [modelSlot(1), modelSlot(7)]
  const proofText = (proof: ReturnType<StateReads['proof']>) =>
    proof === null
      ? 'no proof'
      : [...proof.accountProof, ...proof.storageProofs.flatMap((slot) => [slot.value, ...slot.proof])].map(bytesToHex)
  const byHash = blocks.map(({ hash }) => {
    const found = state.viewAt(hash) !== null
    return [
      hash,
      found,
      state.hasState(hash),
      found ? bytesToHex(state.rootOf(hash, diff).root) : '',
      proofText(state.proof(hash, address, slots)),
    ]
  })
  const byNumber = blocks.map(({ number }) => [
    number,
    state.viewAtNumber(number) !== null,
    proofText(state.proofAtNumber(number, address, slots)),
  ])
  return [...byHash, ...byNumber, [state.disk?.hash, state.oldestHistory]].map((answer) => JSON.stringify(answer))
}

function assertEveryView(state: StateReads, blocks: readonly ModelBlock[], have: ReadonlySet<Hash>): void {
  for (const block of blocks) if (have.has(block.hash)) assertView(state.viewAt(block.hash), block.state)
  const disk = blocks.find((block) => block.hash === state.disk?.hash)
  for (let at = disk; at !== undefined && at.number >= (state.oldestHistory ?? 0); at = at.parent ?? undefined) {
    assertView(state.viewAtNumber(at.number), at.state)
  }
}

async function begin() {
  const store = createMemoryKeyValueStore()
  const state = await openStateStore(store, { keepLayers: 2, maxLayers: 6, cacheBytes: 4096, historyBlocks: 5 })
  const genesis = modelGenesis(GENESIS)
  await state.initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
  return { store, state, genesis }
}

describe('states of snapshots', () => {
  it('return what the store returned when they were taken, regardless of later changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), fc.constantFrom(2_000, 400_000), async (actions, cacheBytes) => {
        const { store, state, genesis } = await begin()
        const states = createSnapshotStates({ cacheBytes })
        const blocks: ModelBlock[] = [genesis]
        const kept: { readonly snapshot: StateSnapshot; readonly expected: readonly string[]; readonly known: readonly ModelBlock[] }[] = []
        const recent = (back: number): ModelBlock => {
          const alive = blocks.filter(({ hash }) => state.hasState(hash))
          return alive[Math.max(0, alive.length - 1 - back)] as ModelBlock
        }
        for (const step of actions) {
          if (step.do === 'import') {
            const { block, diff } = modelChild(recent(step.parent), step.ops)
            await importBlock(store, state, block, diff)
            blocks.push(block)
          } else if (step.do === 'flatten') {
            await state.flatten(recent(step.head).hash, step.final ? Number.MAX_SAFE_INTEGER : 0)
          } else if (step.do === 'rollback') {
            await state.rollback()
          } else {
            const snapshot = states.open(store.snapshot())
            if (step.load) await snapshot.load(recent(0).hash, () => Promise.resolve())
            const known = [...blocks]
            const expected = answers(state, known)
            assert.deepEqual(answers(snapshot, known), expected)
            assertEveryView(snapshot, known, new Set(known.filter(({ hash }) => state.hasState(hash)).map(({ hash }) => hash)))
            if (step.keep) kept.push({ snapshot, expected, known })
            else snapshot.close()
          }
          for (const { snapshot, expected, known } of kept) assert.deepEqual(answers(snapshot, known), expected)
          if (kept.length > 3) kept.shift()?.snapshot.close()
        }
      }),
      { numRuns: 80 },
    )
  })

  it('omit layers that a rollback dropped, even when the disk layer returns to the same block', async () => {
    const { store, state, genesis } = await begin()
    const states = createSnapshotStates({ cacheBytes: 100_000 })
    const blocks = [genesis]
    for (let i = 0; i < 4; i++) {
      const { block, diff } = modelChild(blocks.at(-1) as ModelBlock, [{ address: 1, kind: 'write', balance: i, code: 0, slots: [] }])
      await importBlock(store, state, block, diff)
      blocks.push(block)
    }
    const head = blocks.at(-1) as ModelBlock
    assertView(states.open(store.snapshot()).viewAt(head.hash), head.state)
    await state.flatten(head.hash, Number.MAX_SAFE_INTEGER)
    assert.notEqual(state.disk?.number, 0)
    while (state.disk?.number !== 0) assert.notEqual(await state.rollback(), null)
    const after = states.open(store.snapshot())
    assert.deepEqual(
      blocks.map(({ hash }) => after.viewAt(hash) !== null),
      [true, false, false, false, false],
    )
  })

  it('decode each layer once, and drop it when the tables of every open snapshot hold it', async () => {
    const { store, state, genesis } = await begin()
    const states = createSnapshotStates({ cacheBytes: 100_000 })
    const layersRead: string[] = []
    const counting = (): KeyValueReader => {
      const inner = store.snapshot()
      return {
        range: inner.range,
        getSync(key) {
          if (key[0] === BUCKETS.layer) layersRead.push(bytesToHex(key))
          return inner.getSync(key)
        },
      }
    }
    let head = genesis
    const grow = async () => {
      const { block, diff } = modelChild(head, [{ address: 1, kind: 'write', balance: 3, code: 0, slots: [[1, 2]] }])
      await importBlock(store, state, block, diff)
      head = block
    }
    for (let i = 0; i < 5; i++) await grow()
    const first = states.open(counting())
    assertView(first.viewAt(head.hash), head.state)
    assert.equal(layersRead.length, 5)
    const before = states.layerBytes
    await grow()
    while ((await state.flatten(head.hash, Number.MAX_SAFE_INTEGER)) !== null);
    const second = states.open(counting())
    assertView(second.viewAt(head.hash), head.state)
    assert.equal(layersRead.length, 6)
    assert.ok(states.layerBytes > before, 'the first snapshot still needs the flattened layers')
    first.close()
    states.open(counting())
    assert.ok(states.layerBytes < before)
    assert.equal(layersRead.length, 6)
  })
})
