/**
 * A list of up to 32 changes, then a tree of four levels with fan-out 256. Exact keys, because a point read is faster than an
 * iterator. Block numbers are below 2^32.
 */
import { BUCKETS } from '../buckets.ts'
import type { BatchDraft } from '../disk/batch-draft.ts'
import { addToBlockSet, blockSetSize, nextInBlockSet, removeFromBlockSet } from './block-set.ts'

export const TOP = 3
export const LIST = 0
const TREE = 1
const MAX_LISTED = 32

export type ReadRecord = (key: string) => Uint8Array | null

export function historyIndexKey(level: number, versionedKey: string, shard: number): string {
  const suffix = String.fromCharCode((shard >>> 24) & 255, (shard >>> 16) & 255, (shard >>> 8) & 255, shard & 255)
  return String.fromCharCode(BUCKETS.historyIndex, level) + versionedKey + suffix
}

export function findNextChange(read: ReadRecord, versionedKey: string, from: number): number | null {
  const top = read(historyIndexKey(TOP, versionedKey, 0))
  if (top === null || from >= 2 ** 32) return null
  if (top[0] === LIST) return listedBlocks(top).find((number) => number >= from) ?? null
  return descend(read, versionedKey, TOP, 0, top.subarray(1), from)
}

function descend(
  read: ReadRecord,
  versionedKey: string,
  level: number,
  shard: number,
  set: Uint8Array | null,
  from: number,
): number | null {
  const span = 256 ** level
  const base = shard * 256 * span
  const first = from <= base ? 0 : Math.floor((from - base) / span)
  for (let member = nextInBlockSet(set, first); member !== null; member = nextInBlockSet(set, member + 1)) {
    if (level === 0) return base + member
    const below = shard * 256 + member
    const found = descend(read, versionedKey, level - 1, below, read(historyIndexKey(level - 1, versionedKey, below)), from)
    if (found !== null) return found
  }
  return null
}

/** `before` counts earlier changes in the record. */
export function recordChange(draft: BatchDraft, versionedKey: string, number: number): { readonly grown: number; readonly before: number } {
  const topKey = historyIndexKey(TOP, versionedKey, 0)
  const top = draft.get(topKey)
  if (top !== null && top[0] === TREE) {
    const before = blockSetSize(draft.get(historyIndexKey(0, versionedKey, number >>> 8)))
    return { grown: addToTree(draft, versionedKey, number), before }
  }
  const listed = top === null ? [] : listedBlocks(top)
  const before = listed.length
  if (listed.includes(number)) return { grown: 0, before }
  listed.push(number)
  if (listed.length <= MAX_LISTED) return { grown: replace(draft, topKey, encodeList(listed.sort((a, b) => a - b))), before }
  let grown = replace(draft, topKey, null)
  for (const block of listed) grown += addToTree(draft, versionedKey, block)
  return { grown, before }
}

export function addChange(draft: BatchDraft, versionedKey: string, number: number): number {
  return recordChange(draft, versionedKey, number).grown
}

export function removeChange(draft: BatchDraft, versionedKey: string, number: number): number {
  const topKey = historyIndexKey(TOP, versionedKey, 0)
  const top = draft.get(topKey)
  if (top === null) return 0
  if (top[0] === TREE) return removeFromTree(draft, versionedKey, number)
  const left = listedBlocks(top).filter((other) => other !== number)
  return -replace(draft, topKey, left.length === 0 ? null : encodeList(left))
}

function addToTree(draft: BatchDraft, versionedKey: string, number: number): number {
  let grown = 0
  for (let level = 0, member = number; level <= TOP; level++, member >>>= 8) {
    const key = historyIndexKey(level, versionedKey, member >>> 8)
    const before = draft.get(key)
    const set = addToBlockSet(level === TOP ? (before?.subarray(1) ?? null) : before, member & 255)
    grown += replace(draft, key, level === TOP ? Uint8Array.of(TREE, ...set) : set)
    if (before !== null) break
  }
  return grown
}

function removeFromTree(draft: BatchDraft, versionedKey: string, number: number): number {
  let shrunk = 0
  for (let level = 0, member = number; level <= TOP; level++, member >>>= 8) {
    const key = historyIndexKey(level, versionedKey, member >>> 8)
    const before = draft.get(key)
    if (before === null) break
    const set = removeFromBlockSet(level === TOP ? before.subarray(1) : before, member & 255)
    shrunk -= replace(draft, key, set === null || level < TOP ? set : Uint8Array.of(TREE, ...set))
    if (set !== null) break
  }
  return shrunk
}

function replace(draft: BatchDraft, key: string, value: Uint8Array | null): number {
  const before = draft.get(key)
  draft.set(key, value)
  return (value === null ? 0 : key.length + value.length) - (before === null ? 0 : key.length + before.length)
}

function listedBlocks(top: Uint8Array): number[] {
  const view = new DataView(top.buffer, top.byteOffset, top.length)
  const numbers: number[] = []
  for (let at = 1; at < top.length; at += 4) numbers.push(view.getUint32(at))
  return numbers
}

function encodeList(numbers: readonly number[]): Uint8Array {
  const out = new Uint8Array(1 + 4 * numbers.length)
  const view = new DataView(out.buffer)
  out[0] = LIST
  numbers.forEach((number, i) => {
    view.setUint32(1 + 4 * i, number)
  })
  return out
}
