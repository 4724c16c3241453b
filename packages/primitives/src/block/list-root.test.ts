import assert from 'node:assert/strict'
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { bytesToHex } from '../hex.ts'
import { orderedListRoot } from './list-root.ts'

async function referenceRoot(items: readonly Uint8Array[]): Promise<string> {
  const trie = await createMPT()
  for (const [i, item] of items.entries()) await trie.put(RLP.encode(i), item)
  return bytesToHex(trie.root())
}

const item = (i: number, length: number) => new Uint8Array(length).fill((i * 31 + 7) & 255)

describe('ordered list root', () => {
  it('agrees with a trie at every length across the changes of key form', async () => {
    for (const length of [0, 1, 2, 3, 15, 16, 17, 18, 126, 127, 128, 129, 130, 143, 144, 145, 255, 256, 257, 300]) {
      const items = Array.from({ length }, (_, i) => item(i, 40 + (i % 9)))
      assert.equal(orderedListRoot(items), await referenceRoot(items), `${length} items`)
    }
  })

  it('agrees with a trie for items so short that nodes are embedded in their parents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 40 }), async (items) => {
        assert.equal(orderedListRoot(items), await referenceRoot(items))
      }),
      { numRuns: 60 },
    )
  })
})
