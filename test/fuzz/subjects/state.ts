/** Compares the state with a naive model. */
import assert from 'node:assert/strict'
import { createMPT, verifyMPTWithMerkleProof } from '@ethereumjs/mpt'
import { hexToBytes, keccak256 } from '@keelson/primitives'
import { computeGenesisState, createMemoryKeyValueStore, openStateStore, type StateStoreOptions } from '@keelson/state'
import fc, { type Arbitrary } from 'fast-check'
import {
  assertView,
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
} from '../../../packages/state/src/state-model.test.ts'
import { defineSubject } from '../subject.ts'

type Step =
  | { readonly kind: 'block'; readonly parent: number; readonly ops: readonly ModelOp[] }
  | { readonly kind: 'flatten'; readonly all: boolean }
  | { readonly kind: 'restart' }

interface Case {
  readonly steps: readonly Step[]
  readonly proved: number
}

const OPTIONS: Partial<StateStoreOptions> = { keepLayers: 1, maxLayers: 100, cacheBytes: 4096, historyBlocks: 6 }
const GENESIS = new Map([0, 1, 2, 3].map((i) => [i, { nonce: 1n, balanceWei: 9n, code: new Uint8Array(0), slots: new Map([[1, 7]]) }]))
const ALL_FINAL = Number.MAX_SAFE_INTEGER

const op: Arbitrary<ModelOp> = fc.record({
  address: fc.nat(MODEL_ADDRESSES - 1),
  kind: fc.constantFrom('write', 'write', 'write', 'reset', 'delete'),
  balance: fc.nat(1_000_000),
  code: fc.constantFrom(0, 0, 3, 40),
  slots: fc.array(fc.tuple(fc.nat(MODEL_SLOTS - 1), fc.constantFrom(0, 0, 1, 2, 77, 200)), { maxLength: 4 }),
})
const step: Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('block' as const), parent: fc.nat(), ops: fc.array(op, { maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('flatten' as const), all: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)

export const stateSubject = defineSubject<Case>({
  name: 'state',
  cases: 2_000,
  caseLimitMs: 20_000,
  open: async () => ({
    arbitrary: fc.record({ steps: fc.array(step, { minLength: 3, maxLength: 20 }), proved: fc.nat(MODEL_ADDRESSES - 1) }),
    async check({ steps, proved }) {
      const store = createMemoryKeyValueStore()
      let state = await openStateStore(store, OPTIONS)
      const genesis = modelGenesis(GENESIS)
      await state.initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
      let live = [genesis]
      const onDisk = [genesis]
      for (const next of steps) {
        if (next.kind === 'block') {
          const parent = live[next.parent % 3 === 0 ? next.parent % live.length : live.length - 1] as ModelBlock
          const { block, diff } = modelChild(parent, next.ops)
          assert.equal(await importBlock(store, state, block, diff), (await modelRoots(block.state)).root)
          live.push(block)
        } else if (next.kind === 'flatten') {
          const done = await state.flatten((live.at(-1) as ModelBlock).hash, next.all ? ALL_FINAL : 0)
          if (done === null) continue
          onDisk.push(live.find(({ hash }) => hash === done.flattened.hash) as ModelBlock)
          live = live.filter(({ hash }) => state.hasState(hash))
        } else {
          state = await openStateStore(store, OPTIONS)
        }
      }
      for (const block of live) assertView(state.viewAt(block.hash), block.state)
      const oldest = state.oldestHistory as number
      for (const block of onDisk) {
        if (block.number < oldest) {
          assert.equal(state.viewAtNumber(block.number), null)
          continue
        }
        assertView(state.viewAtNumber(block.number), block.state)
        const proof = state.proofAtNumber(block.number, modelAddress(proved), [modelSlot(1)])
        assert.ok(proof !== null)
        const { root } = await modelRoots(block.state)
        if (block.state.size === 0) continue
        const value = await verifyMPTWithMerkleProof(await createMPT(), hexToBytes(root), keccak256(modelAddress(proved)), [
          ...proof.accountProof,
        ])
        assert.equal(value === null, !block.state.has(proved))
      }
    },
  }),
})
