/** Only "secure" tests resemble state tries: keys of the others may be prefixes of each other. */
import assert from 'node:assert/strict'
import { bytesToHex, EMPTY_TRIE_ROOT_BYTES, hexToBytes, isHex, keccak256, keccak256Hash, utf8ToBytes } from '@keelson/primitives'
import { updateTrie } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'

type Write = readonly [key: string, value: string | null]

interface TrieCase {
  /** The writes of an object may be made in any order. */
  readonly in: Readonly<Record<string, string | null>> | readonly Write[]
  readonly root: string
}

const bytesOf = (text: string) => (isHex(text) ? hexToBytes(text) : utf8ToBytes(text))

function judge(test: TrieCase, hashed: boolean): void {
  const write = ([key, value]: Write) => ({
    key: hashed ? keccak256(bytesOf(key)) : bytesOf(key),
    value: value === null ? null : bytesOf(value),
  })
  const batches = Array.isArray(test.in) ? (test.in as readonly Write[]).map((each) => [write(each)]) : [Object.entries(test.in).map(write)]
  const nodes = new Map<string, Uint8Array>()
  const source = { node: (_: string, hash: Uint8Array) => nodes.get(bytesToHex(hash)) ?? null }
  let root = EMPTY_TRIE_ROOT_BYTES
  for (const batch of batches) {
    const update = updateTrie(source, root, batch)
    for (const rlp of update.nodes.values()) if (rlp !== null) nodes.set(keccak256Hash(rlp), rlp)
    root = update.root
  }
  assert.equal(bytesToHex(root), test.root)
}

function casesOf({ id, content }: EthereumTestFile): ConformanceCase[] {
  return Object.entries(content as Readonly<Record<string, TrieCase>>).map(([name, test]) => ({
    id: `${id}/${name}`,
    run: () => judge(test, /secure/i.test(id)),
  }))
}

const NO_WALK = 'the keys before and after a key of a trie: our code has no such iteration'

export const trieTests: ConformanceGroup = {
  name: 'trie-tests',
  under: ['ethereum-tests/'],
  load: (folder) => [
    ...loadEthereumTests(folder, { format: 'trie' }, casesOf),
    ...loadEthereumTests(folder, { format: 'trie-order' }, ({ content }) => {
      for (const { tests } of Object.values(content as Readonly<Record<string, { tests: readonly unknown[] }>>))
        folder.leaveOut(NO_WALK, tests.length)
      return []
    }),
  ],
}
