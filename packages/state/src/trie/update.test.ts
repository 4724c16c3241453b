import assert from 'node:assert/strict'
import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex, EMPTY_TRIE_ROOT_BYTES, keccak256 } from '@keelson/primitives'
import fc from 'fast-check'
import { bytesToKey, keyToBytes } from '../byte-key.ts'
import { bytesToNibbles, nibblesToBytes } from './nibbles.ts'
import { decodeNode, isHashReference, isReference, referenceHash, type TrieNode } from './node.ts'
import type { NodeSource } from './node-source.ts'
import { findTrieValue, proveTrieKey } from './read.ts'
import { type TrieWrite, updateTrie } from './update.ts'

function pathTrie() {
  const nodes = new Map<string, Uint8Array>()
  let root = EMPTY_TRIE_ROOT_BYTES
  const source: NodeSource = {
    node(path, hash) {
      const rlp = nodes.get(path) ?? null
      if (rlp !== null) assert.equal(bytesToHex(keccak256(rlp)), bytesToHex(hash), 'the node at the path is the one its parent means')
      return rlp
    },
  }
  return {
    source,
    nodes,
    get root() {
      return root
    },
    apply(writes: readonly TrieWrite[]) {
      const update = updateTrie(source, root, writes)
      for (const [path, rlp] of update.nodes) {
        if (rlp === null) assert.ok(nodes.delete(path), 'only what was stored is deleted')
        else nodes.set(path, rlp)
      }
      root = update.root
    },
  }
}

function reachable(nodes: ReadonlyMap<string, Uint8Array>): Set<string> {
  const found = new Set<string>()
  const visit = (node: TrieNode, path: string): void => {
    const children = node.kind === 'branch' ? node.children.map((c, i) => [c, path + String.fromCharCode(i)] as const) : []
    if (node.kind === 'extension') children.push([node.child, path + bytesToKey(node.nibbles)])
    for (const [child, at] of children) {
      if (child === null) continue
      assert.ok(isReference(child))
      if (isHashReference(child)) found.add(at)
      visit(decodeNode(isHashReference(child) ? (nodes.get(at) as Uint8Array) : child), at)
    }
  }
  const root = nodes.get('')
  if (root !== undefined) {
    found.add('')
    visit(decodeNode(root), '')
  }
  return found
}

async function applyTo(oracle: MerklePatriciaTrie, writes: readonly TrieWrite[]): Promise<void> {
  for (const { key, value } of writes) await (value === null ? oracle.del(key) : oracle.put(key, value))
}

const keyOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length, max: 255 }).map((k) => k.map((b) => (b % 3) * 0x11 + (b > 200 ? 0x40 : 0)))
const value = fc.oneof(fc.constant(null), fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.uint8Array({ minLength: 30, maxLength: 40 }))
const batches = (length: number) =>
  fc.array(fc.array(fc.record({ key: keyOf(length), value }), { minLength: 1, maxLength: 24 }), { minLength: 1, maxLength: 8 })

describe('updateTrie', () => {
  for (const length of [2, 3, 5]) {
    it(`agrees with @ethereumjs/mpt over random batches of ${length}-byte keys`, async () => {
      await fc.assert(
        fc.asyncProperty(batches(length), async (rounds) => {
          const trie = pathTrie()
          const oracle = await createMPT()
          const model = new Map<string, Uint8Array>()
          for (const round of rounds) {
            trie.apply(round)
            await applyTo(oracle, round)
            for (const write of round) {
              if (write.value === null) model.delete(bytesToKey(write.key))
              else model.set(bytesToKey(write.key), write.value)
            }
            assert.equal(bytesToHex(trie.root), bytesToHex(oracle.root()))
            assert.deepEqual(new Set(trie.nodes.keys()), reachable(trie.nodes))
          }
          for (const [key, expected] of model) assert.deepEqual(findTrieValue(trie.source, trie.root, keyToBytes(key)), expected)
        }),
        { numRuns: 150 },
      )
    })
  }

  it('agrees over hashed keys, and leaves no node behind when all keys are removed', async () => {
    const keys = Array.from({ length: 400 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)))
    const trie = pathTrie()
    const oracle = await createMPT()
    const writes = keys.map((key, i) => ({ key, value: new Uint8Array(70).fill(i % 250) }))
    trie.apply(writes)
    await applyTo(oracle, writes)
    assert.equal(bytesToHex(trie.root), bytesToHex(oracle.root()))
    const odd = keys.filter((_, i) => i % 2 === 1).map((key) => ({ key, value: null }))
    trie.apply(odd)
    await applyTo(oracle, odd)
    assert.equal(bytesToHex(trie.root), bytesToHex(oracle.root()))
    trie.apply(keys.map((key) => ({ key, value: null })))
    assert.deepEqual(trie.root, EMPTY_TRIE_ROOT_BYTES)
    assert.equal(trie.nodes.size, 0)
  })

  it('does not read a sibling that the net change does not need', () => {
    const trie = pathTrie()
    const at = (byte: number) => Uint8Array.of(byte, 0x11, 0x22)
    const long = new Uint8Array(40).fill(7)
    trie.apply([0x10, 0x20].map((byte) => ({ key: at(byte), value: long })))
    const asked: string[] = []
    const source: NodeSource = {
      node(path, hash) {
        asked.push(path)
        return trie.source.node(path, hash)
      },
    }
    updateTrie(source, trie.root, [
      { key: at(0x20), value: null },
      { key: at(0x30), value: long },
    ])
    assert.deepEqual(asked, ['', String.fromCharCode(2)])
    assert.throws(() => updateTrie({ node: () => null }, trie.root, [{ key: at(0x20), value: null }]), { code: 'state/missing-node' })
  })

  it('leaves the nodes of the source as they are, also when they are Buffers', () => {
    const keys = Array.from({ length: 64 }, (_, i) => keccak256(Uint8Array.of(i)))
    const trie = pathTrie()
    trie.apply(keys.map((key) => ({ key, value: new Uint8Array(70).fill(1) })))
    for (const [path, rlp] of trie.nodes) trie.nodes.set(path, Buffer.from(rlp))
    const before = new Map([...trie.nodes].map(([path, rlp]) => [path, bytesToHex(rlp)]))
    updateTrie(
      trie.source,
      trie.root,
      keys.map((key) => ({ key, value: new Uint8Array(70).fill(2) })),
    )
    assert.deepEqual(new Map([...trie.nodes].map(([path, rlp]) => [path, bytesToHex(rlp)])), before)
  })

  describe('with known values', () => {
    const keys = Array.from({ length: 64 }, (_, i) => keccak256(Uint8Array.of(i)))
    const filled = (byte: number) => new Uint8Array(70).fill(byte)

    function guessing(trie: ReturnType<typeof pathTrie>) {
      let reads = 0
      const source: NodeSource = {
        node(path, hash, guess) {
          const guessed = guess?.() ?? null
          if (guessed !== null && bytesToHex(keccak256(guessed)) === bytesToHex(hash)) return guessed
          reads++
          return trie.source.node(path, hash)
        },
      }
      return { source, reads: () => reads }
    }

    it('gives the same nodes and root without reading the leaves', () => {
      const trie = pathTrie()
      trie.apply(keys.map((key) => ({ key, value: filled(1) })))
      const writes = keys.map((key, i) => ({ key, value: i % 5 === 0 ? null : filled(2) }))
      const plain = updateTrie(trie.source, trie.root, writes)
      const { source, reads } = guessing(trie)
      const known = updateTrie(
        source,
        trie.root,
        writes.map((write) => ({ ...write, before: () => filled(1) })),
      )
      assert.deepEqual(known, plain)
      assert.ok(reads() < keys.length, `${reads()} reads`)
    })

    it('reads the leaf if the value is wrong or missing', () => {
      const trie = pathTrie()
      trie.apply(keys.map((key) => ({ key, value: filled(1) })))
      const writes = keys.map((key) => ({ key, value: filled(2) }))
      const plain = updateTrie(trie.source, trie.root, writes)
      for (const before of [() => filled(9), () => null]) {
        assert.deepEqual(
          updateTrie(
            guessing(trie).source,
            trie.root,
            writes.map((write) => ({ ...write, before })),
          ),
          plain,
        )
      }
    })
  })

  it('changes nothing for writes that change nothing', () => {
    const trie = pathTrie()
    trie.apply([{ key: Uint8Array.of(1, 2), value: Uint8Array.of(5) }])
    const update = updateTrie(trie.source, trie.root, [
      { key: Uint8Array.of(1, 2), value: Uint8Array.of(5) },
      { key: Uint8Array.of(1, 3), value: null },
      { key: Uint8Array.of(9, 9), value: null },
    ])
    assert.equal(update.nodes.size, 0)
    assert.deepEqual(update.root, trie.root)
  })
})

describe('proveTrieKey', () => {
  it('returns nodes that another implementation accepts, for present and absent keys', async () => {
    const trie = pathTrie()
    const writes = Array.from({ length: 300 }, (_, i) => ({
      key: keccak256(Uint8Array.of(i & 255, i >> 8)),
      value: new Uint8Array(33).fill(1 + (i % 200)),
    }))
    trie.apply(writes)
    const { verifyMPTWithMerkleProof } = await import('@ethereumjs/mpt')
    for (const key of [...writes.slice(0, 40).map((w) => w.key), keccak256(Uint8Array.of(9, 9, 9)), keccak256(Uint8Array.of(7))]) {
      const proof = proveTrieKey(trie.source, trie.root, key)
      const verified = await verifyMPTWithMerkleProof(await createMPT(), trie.root, key, [...proof.nodes])
      assert.deepEqual(proof.value, verified)
    }
  })
})

describe('nibble conversion', () => {
  it('round-trips', () => {
    assert.deepEqual(nibblesToBytes(bytesToNibbles(Uint8Array.of(0x12, 0xef))), Uint8Array.of(0x12, 0xef))
    assert.deepEqual(referenceHash(Uint8Array.of(0xa0, ...EMPTY_TRIE_ROOT_BYTES)), EMPTY_TRIE_ROOT_BYTES)
  })
})
