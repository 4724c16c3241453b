/**
 * An older branch node as its difference to the newer one:
 * - u16 differing children | u16 those of them that existed | hash 32 *
 */
import { type Child, decodeNode, encodeNode, hashReference } from '../trie/node.ts'
import { HASH_LENGTH, hashedChildren, NO_CHILD } from '../trie/packed-branch.ts'

/** Null when a node is no branch of hashes, or the delta is not shorter. */
export function encodeBranchDelta(older: Uint8Array, newer: Uint8Array): Uint8Array | null {
  const before = hashedChildren(older)
  const after = before === null ? null : hashedChildren(newer)
  if (before === null || after === null) return null
  const out = new Uint8Array(4 + 16 * HASH_LENGTH)
  let differing = 0
  let existed = 0
  let length = 4
  for (let i = 0; i < 16; i++) {
    const old = before[i] as number
    if (sameChild(older, old, newer, after[i] as number)) continue
    differing |= 1 << i
    if (old === NO_CHILD) continue
    existed |= 1 << i
    out.set(older.subarray(old, old + HASH_LENGTH), length)
    length += HASH_LENGTH
  }
  if (length >= older.length) return null
  out[0] = differing >> 8
  out[1] = differing
  out[2] = existed >> 8
  out[3] = existed
  return out.slice(0, length)
}

export function applyBranchDelta(newer: Uint8Array, delta: Uint8Array): Uint8Array {
  const node = decodeNode(newer)
  const view = new DataView(delta.buffer, delta.byteOffset, delta.length)
  const differing = view.getUint16(0)
  const existed = view.getUint16(2)
  const children: Child[] = node.kind === 'branch' ? node.children.slice() : new Array<Child>(16).fill(null)
  let at = 4
  for (let i = 0; i < 16; i++) {
    if ((differing & (1 << i)) === 0) continue
    const had = (existed & (1 << i)) !== 0
    children[i] = had ? hashReference(delta.subarray(at, at + 32)) : null
    if (had) at += 32
  }
  return encodeNode({ kind: 'branch', children })
}

function sameChild(a: Uint8Array, atA: number, b: Uint8Array, atB: number): boolean {
  if (atA === NO_CHILD || atB === NO_CHILD) return atA === atB
  for (let i = 0; i < HASH_LENGTH; i++) if (a[atA + i] !== b[atB + i]) return false
  return true
}
