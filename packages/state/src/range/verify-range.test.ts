import assert from 'node:assert/strict'
import { verifyMerkleRangeProof } from '@ethereumjs/mpt'
import { compareBytes, EMPTY_TRIE_ROOT_BYTES, keccak256 } from '@keelson/primitives'
import fc from 'fast-check'
import { bytesToKey } from '../byte-key.ts'
import { EMPTY_NODE_SOURCE, type NodeSource } from '../trie/node-source.ts'
import { updateTrie } from '../trie/update.ts'
import { proveRange } from './prove-range.ts'
import type { RangeEntry } from './range-entry.ts'
import { type RangeClaim, verifyRange } from './verify-range.ts'

const KEY_BYTES = 32

interface Trie {
  readonly root: Uint8Array
  readonly source: NodeSource
  readonly entries: readonly RangeEntry[]
}

function trieOf(unsorted: readonly RangeEntry[]): Trie {
  const entries = [...unsorted].sort((a, b) => compareBytes(a.key, b.key))
  const { root, nodes } = updateTrie(EMPTY_NODE_SOURCE, EMPTY_TRIE_ROOT_BYTES, entries)
  return { root, entries, source: { node: (path) => nodes.get(path) ?? null } }
}

function claimOf({ root, source, entries }: Trie, origin: Uint8Array, count: number): RangeClaim {
  const from = entries.findIndex((entry) => compareBytes(entry.key, origin) >= 0)
  const range = from < 0 ? [] : entries.slice(from, from + count)
  return { root, origin, entries: range, proof: proveRange(source, root, origin, range.at(-1)?.key ?? null) }
}

async function judgeAccepts({ root, origin, entries, proof }: RangeClaim): Promise<boolean> {
  const last = entries.at(-1)?.key ?? null
  const keys = entries.map((entry) => entry.key)
  const values = entries.map((entry) => entry.value)
  try {
    await verifyMerkleRangeProof(
      root,
      proof === null ? null : origin,
      proof === null ? null : last,
      keys,
      values,
      proof as Uint8Array[] | null,
    )
    return true
  } catch {
    return false
  }
}

function key(...nibbles: readonly number[]): Uint8Array {
  const out = new Uint8Array(KEY_BYTES)
  for (const [i, nibble] of nibbles.entries()) out[i >> 1] = (out[i >> 1] as number) | (nibble << (i % 2 === 0 ? 4 : 0))
  return out
}

const value = (length: number, byte = 7) => new Uint8Array(length).fill(byte)
const entry = (k: Uint8Array, v: Uint8Array = value(40)): RangeEntry => ({ key: k, value: v })
const SPREAD = trieOf([entry(key(1)), entry(key(1, 2)), entry(key(1, 2, 3)), entry(key(4)), entry(key(9, 9)), entry(key(15))])

// Keys that share long prefixes, and values small enough for nodes inside their parents.
const anyKey = fc
  .array(fc.constantFrom(0, 1, 2, 14, 15), { minLength: 5, maxLength: 5 })
  .chain((head) => fc.constantFrom(0, 1, 2).map((tail) => [...head, ...new Array<number>(58).fill(0), tail]))
  .map((nibbles) => key(...nibbles))
const anyEntries = fc.uniqueArray(
  fc.record({
    key: anyKey,
    value: fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 2 }), fc.uint8Array({ minLength: 30, maxLength: 40 })),
  }),
  { selector: (e) => bytesToKey(e.key), minLength: 1, maxLength: 40 },
)

describe('range proofs', () => {
  it('accept a whole trie without a proof, and nothing less', () => {
    const { root, entries } = SPREAD
    const origin = key()
    assert.deepEqual(verifyRange({ root, origin, entries, proof: null }), { valid: true, more: false })
    assert.equal(verifyRange({ root, origin, entries: entries.slice(1), proof: null }).valid, false)
    assert.equal(verifyRange({ root, origin, entries: [], proof: null }).valid, false)
    assert.deepEqual(verifyRange({ root: EMPTY_TRIE_ROOT_BYTES, origin, entries: [], proof: null }), { valid: true, more: false })
  })

  it('accept an empty range only where nothing is left', () => {
    assert.deepEqual(verifyRange(claimOf(SPREAD, key(15, 1), 1)), { valid: true, more: false })
    const claim = { ...claimOf(SPREAD, key(9), 1), entries: [], proof: proveRange(SPREAD.source, SPREAD.root, key(9), null) }
    assert.equal(verifyRange(claim).valid, false)
  })

  it('say whether keys follow the last one', () => {
    assert.deepEqual(verifyRange(claimOf(SPREAD, key(2), 1)), { valid: true, more: true })
    assert.deepEqual(verifyRange(claimOf(SPREAD, key(10), 1)), { valid: true, more: false })
  })

  it('accept a trie of one key', () => {
    const trie = trieOf([entry(key(5))])
    assert.deepEqual(verifyRange(claimOf(trie, key(), 1)), { valid: true, more: false })
    assert.deepEqual(verifyRange(claimOf(trie, key(6), 1)), { valid: true, more: false })
    assert.deepEqual(verifyRange({ ...claimOf(trie, key(), 1), proof: null }), { valid: true, more: false })
  })

  it('reject a gap, a foreign value, a key below the origin and keys out of order', () => {
    const claim = claimOf(SPREAD, key(1), 5)
    const [first, second, third, ...rest] = claim.entries as [RangeEntry, RangeEntry, RangeEntry, ...RangeEntry[]]
    const changed = [
      [first, third, ...rest],
      [second, third, ...rest],
      [first, second, entry(third.key, value(41)), ...rest],
      [first, second, entry(key(1, 2, 4)), ...rest],
      [entry(key()), first, second, third, ...rest],
      [second, first, third, ...rest],
      [first, first, second, third, ...rest],
      [first, second, entry(third.key, value(0)), ...rest],
      [entry(first.key.subarray(1)), second, third, ...rest],
    ]
    for (const [i, entries] of changed.entries()) assert.equal(verifyRange({ ...claim, entries }).valid, false, `change ${i}`)
  })

  it('reject a proof without one of its nodes', () => {
    const claim = claimOf(SPREAD, key(1, 1), 3)
    const { proof } = claim
    assert.ok(proof !== null)
    for (const left of proof) assert.equal(verifyRange({ ...claim, proof: proof.filter((node) => node !== left) }).valid, false)
  })

  it('agree with another implementation on every range of random tries', () =>
    fc.assert(
      fc.asyncProperty(anyEntries, anyKey, fc.nat(12), async (unsorted, origin, count) => {
        const trie = trieOf(unsorted)
        const claim = claimOf(trie, origin, count + 1)
        const after = trie.entries.filter((e) => compareBytes(e.key, claim.entries.at(-1)?.key ?? origin) > 0)
        assert.deepEqual(verifyRange(claim), { valid: true, more: claim.entries.length > 0 && after.length > 0 })
        assert.equal(await judgeAccepts(claim), true)
      }),
    ))

  it('reject every changed list of entries, as the other implementation does', () =>
    fc.assert(
      fc.asyncProperty(
        anyEntries,
        anyKey,
        fc.nat(12),
        fc.nat(),
        fc.constantFrom('drop', 'alter', 'add'),
        async (unsorted, origin, count, at, how) => {
          const trie = trieOf(unsorted)
          const claim = claimOf(trie, origin, count + 2)
          // Without its last entry, a list is a shorter range, which another proof would show.
          fc.pre(claim.entries.length > 1)
          const i = at % (claim.entries.length - 1)
          const chosen = claim.entries[i] as RangeEntry
          const strange = entry(Uint8Array.from(chosen.key, (byte, n) => (n === 20 ? 1 : byte)))
          const entries = [...claim.entries]
          if (how === 'drop') entries.splice(i, 1)
          else if (how === 'alter') entries[i] = entry(chosen.key, value(33, 99))
          else entries.splice(i + 1, 0, strange)
          const forged = { ...claim, entries }
          assert.equal(verifyRange(forged).valid, false)
          assert.equal(await judgeAccepts(forged), false)
        },
      ),
    ))

  it('never throw on nodes that no trie has', () => {
    fc.assert(
      fc.property(anyEntries, anyKey, fc.nat(), fc.nat(255), (unsorted, origin, where, byte) => {
        const trie = trieOf(unsorted)
        const top = (trie.source.node('', trie.root) as Uint8Array).slice()
        const at = where % top.length
        fc.pre(top[at] !== byte)
        top[at] = byte
        const claim = claimOf(trie, origin, 3)
        const proof = [top, ...(claim.proof ?? [])]
        assert.equal(typeof verifyRange({ ...claim, root: keccak256(top), proof }).valid, 'boolean')
      }),
    )
  })
})
