/** Root of the trie that maps rlp(index) to each item, computed without a database. Yellow paper, appendix D */
import { type Hash, toHash } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import { rlpEncode, rlpEncodeList } from '../rlp.ts'
import { EMPTY_TRIE_ROOT } from './header.ts'

interface Leaf {
  readonly nibbles: Uint8Array
  readonly value: Uint8Array
}

export function orderedListRoot(items: readonly Uint8Array[]): Hash {
  if (items.length === 0) return EMPTY_TRIE_ROOT
  const leaves = items.map((value, i) => ({ nibbles: toNibbles(rlpEncode(i)), value })).sort((a, b) => compareNibbles(a.nibbles, b.nibbles))
  return toHash(keccak256(encodeNode(leaves, 0)))
}

function toNibbles(key: Uint8Array): Uint8Array {
  const out = new Uint8Array(key.length * 2)
  key.forEach((byte, i) => {
    out[2 * i] = byte >> 4
    out[2 * i + 1] = byte & 15
  })
  return out
}

function compareNibbles(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const diff = (a[i] as number) - (b[i] as number)
    if (diff !== 0) return diff
  }
  return a.length - b.length
}

function hexPrefix(nibbles: Uint8Array, leaf: boolean): Uint8Array {
  const odd = nibbles.length % 2
  const out = new Uint8Array((nibbles.length >> 1) + 1)
  out[0] = (leaf ? 0x20 : 0) | (odd ? 0x10 | (nibbles[0] as number) : 0)
  for (let i = odd, at = 1; i < nibbles.length; i += 2, at++) {
    out[at] = ((nibbles[i] as number) << 4) | (nibbles[i + 1] as number)
  }
  return out
}

/** A node shorter than 32 bytes is embedded. */
function reference(node: Uint8Array): Uint8Array {
  return node.length < 32 ? node : rlpEncode(keccak256(node))
}

function encodeNode(leaves: readonly Leaf[], depth: number): Uint8Array {
  const first = leaves[0] as Leaf
  if (leaves.length === 1) return rlpEncode([hexPrefix(first.nibbles.subarray(depth), true), first.value])
  const shared = sharedPrefix(leaves, depth)
  if (shared > 0) {
    const path = hexPrefix(first.nibbles.subarray(depth, depth + shared), false)
    return rlpEncodeList([rlpEncode(path), reference(encodeNode(leaves, depth + shared))])
  }
  const children: Uint8Array[] = []
  let at = 0
  for (let nibble = 0; nibble < 16; nibble++) {
    const from = at
    while (at < leaves.length && (leaves[at] as Leaf).nibbles[depth] === nibble) at++
    children.push(at === from ? Uint8Array.of(0x80) : reference(encodeNode(leaves.slice(from, at), depth + 1)))
  }
  children.push(Uint8Array.of(0x80))
  return rlpEncodeList(children)
}

/** An RLP key is never the prefix of another. */
function sharedPrefix(leaves: readonly Leaf[], depth: number): number {
  const a = (leaves[0] as Leaf).nibbles
  const b = (leaves[leaves.length - 1] as Leaf).nibbles
  let n = depth
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n - depth
}
