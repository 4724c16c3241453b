/**
 * The public trie tests with hashed keys, as the state's tries have them. The others use keys of
 * different lengths, one a prefix of another, which no trie of a state or a block has.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EMPTY_TRIE_ROOT_BYTES, hexToBytes, keccak256, toHash } from '@keelson/primitives'
import { updateTrie } from '@keelson/state'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface TrieCase {
  readonly in: Readonly<Record<string, string | null>>
  readonly root: string
}

const FILE = 'hex_encoded_securetrie_test.json'

export const trieTests: ConformanceGroup = {
  name: 'trie-tests',
  load(vectors): ConformanceCase[] {
    const path = join(vectors, 'ethereum-tests', 'TrieTests', FILE)
    const file = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, TrieCase>>
    const cases = Object.entries(file).map(([name, test]) => ({
      id: `${FILE}/${name}`,
      run: () => {
        const writes = Object.entries(test.in).map(([key, value]) => ({
          key: keccak256(hexToBytes(key)),
          value: value === null ? null : hexToBytes(value),
        }))
        const { root } = updateTrie({ node: () => null }, EMPTY_TRIE_ROOT_BYTES, writes)
        assert.equal(toHash(root), test.root)
      },
    }))
    assert.ok(cases.length >= 3, `expected at least 3 tries, got ${cases.length}`)
    return cases
  },
}
