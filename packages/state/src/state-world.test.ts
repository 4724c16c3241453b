import { computeGenesisState } from './genesis.ts'
import { createMemoryKeyValueStore } from './memory-store.ts'
import { openStateStore } from './open-state-store.ts'
import type { KeyValueStore } from './ports.ts'
import {
  genesisAlloc,
  importBlock,
  MODEL_SLOTS,
  type ModelBlock,
  type ModelOp,
  type ModelState,
  modelChild,
  modelGenesis,
} from './state-model.test.ts'
import type { StateStore, StateStoreOptions } from './state-store.ts'

export const GENESIS: ModelState = new Map(
  [0, 1, 2, 3, 4, 5].map((i) => [
    i,
    {
      nonce: 1n,
      balanceWei: BigInt(1000 * i),
      code: i < 3 ? new Uint8Array(5).fill(i + 1) : new Uint8Array(0),
      slots: new Map(i < 4 ? [0, 1, 2, 5].map((s) => [s, s + 7] as const) : []),
    },
  ]),
)
export const SMALL: Partial<StateStoreOptions> = {
  keepLayers: 2,
  maxLayers: 100,
  cacheBytes: 4096,
  historyBlocks: 6,
  maxFlattenLayers: 1,
  historyCacheBytes: 4096,
}
export const NOTHING_FINAL = 0
export const ALL_FINAL = Number.MAX_SAFE_INTEGER

export async function fresh(options: Partial<StateStoreOptions> = SMALL) {
  const store = createMemoryKeyValueStore()
  const state = await openStateStore(store, options)
  const genesis = modelGenesis(GENESIS)
  await state.initGenesis(computeGenesisState(genesisAlloc(GENESIS)), genesis)
  return { store, state, genesis }
}

export const write = (address: number, slots: readonly (readonly [number, number])[], balance = 5): ModelOp => ({
  address,
  kind: 'write',
  balance,
  code: 0,
  slots,
})

export async function grow(store: KeyValueStore, state: StateStore, parent: ModelBlock, length: number): Promise<ModelBlock[]> {
  const blocks: ModelBlock[] = []
  let head = parent
  for (let i = 0; i < length; i++) {
    const n = head.number + 1
    const ops = [
      write(
        n % 6,
        [
          [n % MODEL_SLOTS, n % 250],
          [(n + 3) % MODEL_SLOTS, 0],
        ],
        n,
      ),
      write(7, [[1, n % 250]], n),
    ]
    const { block, diff } = modelChild(head, ops)
    await importBlock(store, state, block, diff)
    blocks.push(block)
    head = block
  }
  return blocks
}
