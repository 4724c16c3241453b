/** Compares with a naive implementation and occasionally another library. */
import assert from 'node:assert/strict'
import { createMPT } from '@ethereumjs/mpt'
import { bytesToHex, EMPTY_TRIE_ROOT_BYTES, keccak256, type RlpInput, rlpEncode } from '@keelson/primitives'
import { findTrieValue, type NodeSource, proveTrieKey, updateTrie } from '@keelson/state'
import fc from 'fast-check'
import { defineSubject } from '../subject.ts'

interface Case {
  readonly batches: readonly (readonly (readonly [key: string, value: Uint8Array])[])[]
  readonly confirm: boolean
}

const KEY_BYTES = 3
const CONFIRMED_ONE_IN = 40
const key = fc.string({ unit: fc.constantFrom('0', '0', '1', 'f'), minLength: 2 * KEY_BYTES, maxLength: 2 * KEY_BYTES })
/** An empty value removes the key; long values are separate nodes. */
const value = fc.oneof(
  fc.constant(new Uint8Array(0)),
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
  fc.uint8Array({ minLength: 30, maxLength: 40 }),
)

export const trieSubject = defineSubject<Case>({
  name: 'trie',
  cases: 30_000,
  caseLimitMs: 10_000,
  open: async () => ({
    arbitrary: fc.record({
      batches: fc.array(fc.array(fc.tuple(key, value), { maxLength: 12 }), { minLength: 1, maxLength: 5 }),
      confirm: fc.nat(CONFIRMED_ONE_IN).map((n) => n === 0),
    }),
    async check({ batches, confirm }) {
      const model = new Map<string, Uint8Array>()
      const nodes = new Map<string, Uint8Array>()
      const source: NodeSource = {
        node(path, hash) {
          const rlp = nodes.get(path) ?? null
          if (rlp !== null) assert.equal(bytesToHex(keccak256(rlp)), bytesToHex(hash), 'a node at its path has the hash in its parent')
          return rlp
        },
      }
      let root: Uint8Array = EMPTY_TRIE_ROOT_BYTES
      for (const batch of batches) {
        for (const [at, bytes] of batch) {
          if (bytes.length === 0) model.delete(at)
          else model.set(at, bytes)
        }
        const update = updateTrie(
          source,
          root,
          batch.map(([at, bytes]) => ({ key: Buffer.from(at, 'hex'), value: bytes.length === 0 ? null : bytes })),
        )
        root = update.root
        for (const [path, rlp] of update.nodes) {
          if (rlp === null) nodes.delete(path)
          else nodes.set(path, rlp)
        }
        assert.equal(bytesToHex(root), bytesToHex(plainRoot(model)))
      }
      for (const at of new Set([...model.keys(), '000000', 'ffffff', ...batches.flat().map(([written]) => written)])) {
        const bytes = Buffer.from(at, 'hex')
        const proof = proveTrieKey(source, root, bytes)
        assert.deepEqual(proof.value === null ? undefined : new Uint8Array(proof.value), model.get(at))
        assert.deepEqual(findTrieValue(source, root, bytes), proof.value)
      }
      assert.equal(nodes.size, hashedNodes(model), 'no stale nodes remain')
      if (confirm) await confirmElsewhere(model, root)
    },
  }),
})

function plainRoot(model: ReadonlyMap<string, Uint8Array>): Uint8Array {
  if (model.size === 0) return EMPTY_TRIE_ROOT_BYTES
  return keccak256(rlpEncode(plainNode([...model], 0)))
}

function plainNode(entries: readonly (readonly [string, Uint8Array])[], depth: number): RlpInput {
  const [first] = entries
  if (first === undefined) return new Uint8Array(0)
  if (entries.length === 1) return [compact(first[0].slice(depth), 2), first[1]]
  let shared = depth
  while (entries.every(([at]) => at[shared] === first[0][shared])) shared++
  if (shared > depth) return [compact(first[0].slice(depth, shared), 0), reference(plainNode(entries, shared))]
  const children = [...'0123456789abcdef'].map((nibble) => {
    const below = entries.filter(([at]) => at[depth] === nibble)
    return below.length === 0 ? new Uint8Array(0) : reference(plainNode(below, depth + 1))
  })
  return [...children, new Uint8Array(0)]
}

function compact(nibbles: string, leaf: number): Uint8Array {
  const odd = nibbles.length % 2
  return Buffer.from(`${(leaf + odd).toString(16)}${odd === 1 ? '' : '0'}${nibbles}`, 'hex')
}

function reference(node: RlpInput): RlpInput {
  const encoded = rlpEncode(node)
  return encoded.length < 32 ? node : keccak256(encoded)
}

function hashedNodes(model: ReadonlyMap<string, Uint8Array>): number {
  if (model.size === 0) return 0
  const count = (entries: readonly (readonly [string, Uint8Array])[], depth: number): number => {
    const node = plainNode(entries, depth)
    const own = depth === 0 || rlpEncode(node).length >= 32 ? 1 : 0
    if (entries.length < 2) return own
    const first = entries[0]?.[0] as string
    let shared = depth
    while (entries.every(([at]) => at[shared] === first[shared])) shared++
    if (shared > depth) return own + count(entries, shared)
    const below = [...'0123456789abcdef'].map((nibble) => entries.filter(([at]) => at[depth] === nibble))
    return below.reduce((sum, part) => sum + (part.length === 0 ? 0 : count(part, depth + 1)), own)
  }
  return count([...model], 0)
}

async function confirmElsewhere(model: ReadonlyMap<string, Uint8Array>, root: Uint8Array): Promise<void> {
  const other = await createMPT()
  for (const [at, bytes] of model) await other.put(Buffer.from(at, 'hex'), bytes)
  assert.equal(bytesToHex(root), bytesToHex(other.root()))
}
