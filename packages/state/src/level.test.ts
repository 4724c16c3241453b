import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLevelStore } from '../../runtime/src/kv/level.ts'
import { computeGenesisState } from './genesis.ts'
import { openStateStore } from './open-state-store.ts'
import {
  assertView,
  genesisAlloc,
  importBlock,
  type ModelBlock,
  modelAddress,
  modelChild,
  modelGenesis,
  modelRoots,
} from './state-model.test.ts'

const slotsOf = (n: number) => [1, 2, 3].map((slot) => [slot, (n * slot) % 250] as const)

describe('the state store on LevelDB', () => {
  it('restores layers, disk layer and history after a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'keelson-state-'))
    try {
      const state0 = new Map([[1, { nonce: 1n, balanceWei: 7n, code: Uint8Array.of(1, 2), slots: new Map([[4, 5]]) }]])
      const blocks: ModelBlock[] = [modelGenesis(state0)]
      const options = { keepLayers: 3 }
      let store = await openLevelStore({ directory })
      let state = await openStateStore(store, options)
      await state.initGenesis(computeGenesisState(genesisAlloc(state0)), blocks[0] as ModelBlock)
      for (let n = 1; n <= 20; n++) {
        const parent = blocks.at(-1) as ModelBlock
        const kind = n === 9 ? 'reset' : 'write'
        const { block, diff } = modelChild(parent, [{ address: n % 4, kind, balance: n, code: 0, slots: slotsOf(n) }])
        assert.equal(await importBlock(store, state, block, diff), (await modelRoots(block.state)).root)
        blocks.push(block)
        await state.flatten(block.hash, n)
        if (n % 7 !== 0) continue
        await store.close()
        store = await openLevelStore({ directory })
        state = await openStateStore(store, options)
      }
      assert.equal(state.disk?.number, 17)
      assert.equal(state.layerCount, 3)
      for (const block of blocks.slice(17)) assertView(state.viewAt(block.hash), block.state)
      for (const block of blocks.slice(0, 18)) assertView(state.viewAtNumber(block.number), block.state)
      const proof = state.proof((blocks[20] as ModelBlock).hash, modelAddress(2), [])
      assert.equal(proof?.account?.balanceWei, blocks[20]?.state.get(2)?.balanceWei)
      await store.close()
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
