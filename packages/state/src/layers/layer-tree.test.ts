import { strict as assert } from 'node:assert'
import type { Hash } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import type { Layer } from './layer.ts'
import { LayerTree } from './layer-tree.ts'

function layerOf(id: number, parent: number, number: number): Layer {
  const empty = { accounts: new Map(), slots: new Map(), wiped: new Set<string>(), codes: new Map(), nodes: new Map(), changes: [] }
  const accounts = new Map([[`${id % 4}`, null]])
  return {
    ...empty,
    accounts,
    hash: hashOf(id),
    parentHash: hashOf(parent),
    number,
    stateRoot: new Uint8Array(32) as never,
    bytes: 1,
    dropped: false,
  }
}

const hashOf = (id: number) => `0x${id.toString(16).padStart(64, '0')}` as Hash

describe('LayerTree', () => {
  it('knows the ancestors of a layer and its latest changes, whatever came and went before', () => {
    const random = createSeededRandom(1)
    const draw = <T>(values: readonly T[]) => values[Math.floor(random.next() * values.length)] as T
    for (let round = 0; round < 200; round++) {
      const tree = new LayerTree()
      const layers: Layer[] = [layerOf(1, 0, 1)]
      for (let id = 2; id <= 30; id++) {
        const parent = random.next() < 0.8 ? (layers[layers.length - 1] as Layer) : draw(layers)
        layers.push(layerOf(id, Number(parent.hash), parent.number + 1))
      }
      const inTree = new Map<Hash, Layer>()
      for (let step = 0; step < 100; step++) {
        const layer = draw(layers)
        if (inTree.has(layer.hash) && random.next() < 0.2) {
          tree.remove(layer)
          inTree.delete(layer.hash)
        } else if (!inTree.has(layer.hash)) {
          tree.add(layer)
          inTree.set(layer.hash, layer)
        }
        const of = random.next() < 0.5 ? layer : draw([...inTree.values(), layer])
        const line: Layer[] = []
        for (let at: Layer | undefined = of; at !== undefined; at = inTree.get(at.parentHash)) line.unshift(at)
        const lineage = tree.lineage(of)
        assert.deepEqual([...lineage], line)
        for (const other of layers) assert.equal(lineage.has(other), line.includes(other))
        const changed = line.filter(({ hash, accounts }) => inTree.has(hash) && accounts.has('1')).at(-1)
        assert.equal(tree.accounts.find('1', lineage), changed ?? null)
      }
    }
  })
})
