import assert from 'node:assert/strict'
import { computeGenesisState } from '../genesis.ts'
import { createMemoryKeyValueStore } from '../memory-store.ts'
import { openStateStore } from '../open-state-store.ts'
import type { StateView } from '../ports.ts'
import {
  assertView,
  genesisAlloc,
  importBlock,
  MODEL_SLOTS,
  type ModelBlock,
  type ModelOp,
  modelChild,
  modelGenesis,
} from '../state-model.test.ts'
import { ALL_FINAL, GENESIS, SMALL, write } from '../state-world.test.ts'

const BLOCKS = 60

function opsOf(n: number): ModelOp[] {
  const slots = [0, 1, 2].map((i) => [(n + i) % MODEL_SLOTS, (n + i) % 5] as const)
  const kind = n % 7 === 0 ? 'reset' : n % 11 === 0 ? 'delete' : 'write'
  return [{ ...write(n % 6, slots, n), kind }, write((n + 1) % 6, [[n % MODEL_SLOTS, n % 250]], n), write((n + 2) % 6, [], n)]
}

function assertUnlessGone(view: StateView | null, block: ModelBlock): boolean {
  if (view === null) return false
  try {
    assertView(view, block.state)
    return true
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, 'state/stale-view', (error as Error).message)
    return false
  }
}

describe('flattening in pieces', () => {
  for (const maxFlattenLayers of [1, 4]) {
    it(`lets blocks be read between any two pieces, with up to ${maxFlattenLayers} layers at once`, async () => {
      const store = createMemoryKeyValueStore()
      const genesis = modelGenesis(GENESIS)
      const live = new Map<ModelBlock, StateView | null>()
      let read = 0
      const breathe = async () => {
        for (const [block, old] of live) {
          if (assertUnlessGone(old, block)) read++
          if (assertUnlessGone(state.viewAt(block.hash), block)) read++
        }
      }
      const options = { ...SMALL, keepLayers: 4 * maxFlattenLayers, maxFlattenLayers, cacheBytes: 2 ** 16 }
      const state = await openStateStore(store, options, { breathe })
      await state.initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
      let head: ModelBlock = genesis
      for (let n = 1; n <= BLOCKS; n++) {
        const { block, diff } = modelChild(head, opsOf(n))
        await importBlock(store, state, block, diff)
        head = block
        live.set(block, state.viewAt(block.hash))
        while ((await state.flatten(head.hash, ALL_FINAL)) !== null);
        for (const old of live.keys()) if (old.number < head.number - 8 * maxFlattenLayers) live.delete(old)
      }
      assert.ok(read > BLOCKS, `${read} reads between pieces`)
    })
  }
})
