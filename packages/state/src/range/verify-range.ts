/** Range proofs of snap/1: entries in key order, with the trie nodes on the paths to both ends of the range. */
import { type Bytes32, bytesToHex, compareBytes, EMPTY_TRIE_ROOT_BYTES, equalBytes, keccak256 } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { StateError } from '../errors.ts'
import { bytesToNibbles, commonNibbles, joinNibbles } from '../trie/nibbles.ts'
import { type Child, decodeNode, hashReference, isHashReference, isReference, referenceHash } from '../trie/node.ts'
import type { RangeEntry } from './range-entry.ts'
import { subtreeReference } from './subtree-reference.ts'

export interface RangeClaim {
  readonly root: Bytes32
  /** The first key asked for; no entry may be below it. */
  readonly origin: Uint8Array
  /** Ascending. */
  readonly entries: readonly RangeEntry[]
  /** Null claims that the entries are the whole trie. */
  readonly proof: readonly Uint8Array[] | null
}

export type RangeVerdict =
  /** `more`: the trie has keys above the last entry. */
  { readonly valid: true; readonly more: boolean } | { readonly valid: false; readonly reason: string }

/**
 * Without entries, the proof must show that no key is at or above the origin. Proof nodes that no path needs are ignored; the
 * caller limits their number.
 */
export function verifyRange(claim: RangeClaim): RangeVerdict {
  const { origin, entries, proof, root } = claim
  const disorder = findDisorder(origin, entries)
  if (disorder !== null) return { valid: false, reason: disorder }
  const keys = entries.map((entry) => bytesToNibbles(entry.key))
  if (proof === null) {
    const built = entries.length === 0 ? EMPTY_TRIE_ROOT_BYTES : referenceHash(subtreeReference(entries, keys, 0, keys.length, 0, true))
    if (equalBytes(built, root)) return { valid: true, more: false }
    return { valid: false, reason: `the entries have the root ${bytesToHex(built)}, expected ${bytesToHex(root)}` }
  }
  const check = new RangeCheck(claim, keys, proof)
  try {
    check.run()
  } catch (error) {
    if (error instanceof BadRange || (error instanceof StateError && error.code === 'state/bad-node'))
      return { valid: false, reason: error.message }
    throw error
  }
  return { valid: true, more: check.more }
}

function findDisorder(origin: Uint8Array, entries: readonly RangeEntry[]): string | null {
  let before: Uint8Array | null = null
  for (const { key, value } of entries) {
    if (key.length !== origin.length) return `a key of ${key.length} bytes, expected ${origin.length}`
    if (value.length === 0) return 'an empty value'
    if (before === null ? compareBytes(key, origin) < 0 : compareBytes(before, key) >= 0) {
      return before === null ? 'a key below the origin' : 'keys are not in ascending order'
    }
    before = key
  }
  return null
}

class BadRange extends Error {}

type Side = 'before' | 'within' | 'after'

class RangeCheck {
  more = false
  private readonly claim: RangeClaim
  private readonly keys: readonly Uint8Array[]
  private readonly origin: Uint8Array
  /** Null without entries: the range has no end. */
  private readonly last: Uint8Array | null
  private readonly nodes = new Map<string, Uint8Array>()

  constructor(claim: RangeClaim, keys: readonly Uint8Array[], proof: readonly Uint8Array[]) {
    this.claim = claim
    this.keys = keys
    this.origin = bytesToNibbles(claim.origin)
    this.last = keys.at(-1) ?? null
    for (const rlp of proof) this.nodes.set(bytesToKey(keccak256(rlp)), rlp)
  }

  run(): void {
    const { root } = this.claim
    const child = equalBytes(root, EMPTY_TRIE_ROOT_BYTES) ? null : hashReference(root)
    this.check(child, new Uint8Array(0), 0, this.keys.length)
  }

  /** Compares the part of the trie below `path` with the entries `from` to `to`, which are all that have this path. */
  private check(child: Child, path: Uint8Array, from: number, to: number): void {
    if (child === null || !isReference(child)) {
      if (from < to) throw new BadRange(`no key below ${nibblesText(path)}, where entries are`)
      return
    }
    if (!this.onEdge(path)) {
      this.checkInside(child, path, from, to)
      return
    }
    const node = decodeNode(isHashReference(child) ? this.open(child, path) : child)
    if (node.kind === 'branch') {
      if (path.length >= this.origin.length) throw new BadRange(`a branch at ${nibblesText(path)}, where keys end`)
      let at = from
      for (let nibble = 0; nibble < 16; nibble++) {
        let end = at
        while (end < to && (this.keys[end] as Uint8Array)[path.length] === nibble) end++
        this.checkPart(node.children[nibble] as Child, joinNibbles(path, nibble), at, end)
        at = end
      }
      return
    }
    const below = joinNibbles(path, node.nibbles)
    const tooLong = node.kind === 'leaf' ? below.length !== this.origin.length : below.length >= this.origin.length
    if (tooLong) throw new BadRange(`a ${node.kind} of ${below.length} nibbles, where keys have ${this.origin.length}`)
    if (node.kind === 'extension') {
      const strangers = from < to && !(hasPrefix(this.keys[from], below) && hasPrefix(this.keys[to - 1], below))
      if (strangers) throw new BadRange(`entries beside the only path below ${nibblesText(path)}`)
      this.checkPart(node.child, below, from, to)
      return
    }
    this.checkLeaf(below, node.value, from, to)
  }

  private checkLeaf(key: Uint8Array, value: Uint8Array, from: number, to: number): void {
    const side = this.sideOf(key)
    if (side === 'after') this.more = true
    if (side !== 'within') {
      if (from < to) throw new BadRange(`entries below ${nibblesText(key)}, which is outside the range`)
      return
    }
    const entry = this.claim.entries[from]
    const same = to - from === 1 && entry !== undefined && commonNibbles(this.keys[from] as Uint8Array, 0, key, 0) === key.length
    if (!same || !equalBytes(entry.value, value)) throw new BadRange(`the key ${nibblesText(key)} is missing or has another value`)
  }

  private checkPart(child: Child, path: Uint8Array, from: number, to: number): void {
    const side = this.sideOf(path)
    if (side === 'within') {
      this.check(child, path, from, to)
      return
    }
    if (from < to) throw new BadRange(`entries below ${nibblesText(path)}, which is outside the range`)
    if (side === 'after' && child !== null) this.more = true
  }

  private checkInside(child: Uint8Array, path: Uint8Array, from: number, to: number): void {
    if (from === to) throw new BadRange(`entries are missing below ${nibblesText(path)}`)
    const built = subtreeReference(this.claim.entries, this.keys, from, to, path.length, false)
    if (!equalBytes(built, child)) throw new BadRange(`entries below ${nibblesText(path)} are not those of the trie`)
  }

  private open(child: Uint8Array, path: Uint8Array): Uint8Array {
    const rlp = this.nodes.get(bytesToKey(referenceHash(child)))
    if (rlp === undefined) throw new BadRange(`the proof has no node at ${nibblesText(path)}`)
    return rlp
  }

  /** True if keys below `path` may lie outside the range. */
  private onEdge(path: Uint8Array): boolean {
    return hasPrefix(this.origin, path) || (this.last !== null && hasPrefix(this.last, path))
  }

  private sideOf(path: Uint8Array): Side {
    if (compareBytes(path, this.origin.subarray(0, path.length)) < 0) return 'before'
    return this.last !== null && compareBytes(path, this.last.subarray(0, path.length)) > 0 ? 'after' : 'within'
  }
}

function hasPrefix(key: Uint8Array | undefined, path: Uint8Array): boolean {
  return key !== undefined && commonNibbles(key, 0, path, 0) === path.length
}

function nibblesText(path: Uint8Array): string {
  return `"${Array.from(path, (nibble) => nibble.toString(16)).join('')}"`
}
