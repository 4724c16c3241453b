/**
 * Which blocks changed a key, as a tree of four levels with 256 children each: level 0 holds blocks,
 * the levels above hold which of the records below exist. The next change after a block is found by
 * exact keys alone, since a point read is fast and an iterator is not, and a change rewrites at most
 * a few dozen bytes however often the key changed before. Block numbers reach to 2^32.
 */
import { BUCKETS } from '../buckets.ts'
import type { BatchDraft } from '../disk/batch-draft.ts'
import { addToBlockSet, blockSetMembers, nextInBlockSet, removeFromBlockSet } from './block-set.ts'

const LEVELS = 4

/** Reads one record by key. */
export type ReadRecord = (key: string) => Uint8Array | null

/** `versionedKey` is a key of the store in one of the versioned buckets. */
export function historyIndexKey(level: number, versionedKey: string, shard: number): string {
  const suffix = String.fromCharCode((shard >>> 24) & 255, (shard >>> 16) & 255, (shard >>> 8) & 255, shard & 255)
  return String.fromCharCode(BUCKETS.historyIndex, level) + versionedKey + suffix
}

/** Number of the first block from `from` on that changed the key; null when none did. */
export function findNextChange(read: ReadRecord, versionedKey: string, from: number): number | null {
  if (from >= 2 ** 32) return null
  return descend(read, versionedKey, LEVELS - 1, 0, from)
}

/** Lowest change not below `from` inside one record of `level`. */
function descend(read: ReadRecord, versionedKey: string, level: number, shard: number, from: number): number | null {
  const set = read(historyIndexKey(level, versionedKey, shard))
  const span = 256 ** level
  const base = shard * 256 * span
  const first = from <= base ? 0 : Math.floor((from - base) / span)
  if (level === 0) {
    const member = nextInBlockSet(set, first)
    return member === null ? null : base + member
  }
  for (let member = nextInBlockSet(set, first); member !== null; member = nextInBlockSet(set, member + 1)) {
    const found = descend(read, versionedKey, level - 1, shard * 256 + member, from)
    if (found !== null) return found
    if (member === 255) return null
  }
  return null
}

/** How many changes the level-0 record that covers the block lists. */
export function changesNearBlock(read: ReadRecord, versionedKey: string, number: number): number {
  return blockSetMembers(read(historyIndexKey(0, versionedKey, number >>> 8))).length
}

/** Returns by how many bytes the index grew. */
export function addChange(draft: BatchDraft, versionedKey: string, number: number): number {
  let grown = 0
  for (let level = 0, member = number; level < LEVELS; level++, member >>>= 8) {
    const key = historyIndexKey(level, versionedKey, member >>> 8)
    const before = draft.get(key)
    const after = addToBlockSet(before, member & 255)
    draft.set(key, after)
    grown += after.length - (before?.length ?? -key.length)
    // Who is listed here is listed above already.
    if (before !== null) break
  }
  return grown
}

/** Returns by how many bytes the index shrank. */
export function removeChange(draft: BatchDraft, versionedKey: string, number: number): number {
  let shrunk = 0
  for (let level = 0, member = number; level < LEVELS; level++, member >>>= 8) {
    const key = historyIndexKey(level, versionedKey, member >>> 8)
    const before = draft.get(key)
    if (before === null) break
    const after = removeFromBlockSet(before, member & 255)
    draft.set(key, after)
    shrunk += before.length - (after?.length ?? -key.length)
    if (after !== null) break
  }
  return shrunk
}
