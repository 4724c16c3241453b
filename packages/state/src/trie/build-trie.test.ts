import assert from 'node:assert/strict'
import { bytesToHex, compareBytes, EMPTY_TRIE_ROOT_BYTES } from '@keelson/primitives'
import fc from 'fast-check'
import { keyToBytes } from '../byte-key.ts'
import { createTrieBuilder } from './build-trie.ts'
import { EMPTY_NODE_SOURCE } from './node-source.ts'
import { updateTrie } from './update.ts'

function build(entries: readonly (readonly [Uint8Array, Uint8Array])[]) {
  const nodes = new Map<string, string>()
  const builder = createTrieBuilder((path, rlp) => nodes.set(bytesToHex(path), bytesToHex(rlp)))
  for (const [key, value] of entries) builder.add(key, value)
  return { root: bytesToHex(builder.finish()), nodes }
}

describe('building a trie in key order', () => {
  it('yields the empty trie without entries', () => {
    assert.deepEqual(build([]), { root: bytesToHex(EMPTY_TRIE_ROOT_BYTES), nodes: new Map() })
  })

  it('yields the same root and nodes as the update', () => {
    const key = fc.array(fc.constantFrom(0, 1, 0x10, 0xff), { minLength: 4, maxLength: 4 })
    const entry = fc.tuple(key, fc.uint8Array({ minLength: 1, maxLength: 40 }))
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ([k]) => k.join(), maxLength: 60, minLength: 1 }), (unsorted) => {
        const entries = unsorted.map(([k, v]) => [Uint8Array.from(k), v] as const).sort((a, b) => compareBytes(a[0], b[0]))
        const nodes = new Map<string, string>()
        const update = updateTrie(
          EMPTY_NODE_SOURCE,
          EMPTY_TRIE_ROOT_BYTES,
          entries.map(([k, value]) => ({ key: k, value })),
        )
        for (const [path, rlp] of update.nodes) if (rlp !== null) nodes.set(bytesToHex(keyToBytes(path)), bytesToHex(rlp))
        assert.deepEqual(build(entries), { root: bytesToHex(update.root), nodes })
      }),
    )
  })
})
