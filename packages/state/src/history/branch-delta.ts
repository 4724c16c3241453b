/**
 * The older of two versions of a branch node, told by the newer: which children differ, and the
 * hashes that stood there.
 *
 *   u16 differing children | u16 those of them that existed | hash 32 *
 */
import { type Child, decodeNode, encodeNode, hashReference, isHashReference, isReference } from '../trie/node.ts'

/** Null when the two are not branches of hashes alone, or when the older one itself is as short. */
export function encodeBranchDelta(older: Uint8Array, newer: Uint8Array): Uint8Array | null {
  const before = hashedChildren(older)
  const after = before === null ? null : hashedChildren(newer)
  if (before === null || after === null) return null
  const out = new Uint8Array(4 + 16 * 32)
  let differing = 0
  let existed = 0
  let length = 4
  for (let i = 0; i < 16; i++) {
    const old = before[i] as Uint8Array | null
    if (sameChild(old, after[i] as Uint8Array | null)) continue
    differing |= 1 << i
    if (old === null) continue
    existed |= 1 << i
    out.set(old.subarray(1), length)
    length += 32
  }
  if (length >= older.length) return null
  const view = new DataView(out.buffer)
  view.setUint16(0, differing)
  view.setUint16(2, existed)
  return out.subarray(0, length)
}

/** RLP of the older node. */
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

function hashedChildren(rlp: Uint8Array): readonly Child[] | null {
  const node = decodeNode(rlp)
  if (node.kind !== 'branch') return null
  return node.children.every((child) => child === null || (isReference(child) && isHashReference(child))) ? node.children : null
}

function sameChild(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
