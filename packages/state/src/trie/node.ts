/** Keys have equal length, so a branch holds no value. Yellow paper, appendix D. */
import { type Bytes32, rlpEncode, rlpEncodeList } from '@keelson/primitives'
import { StateError } from '../errors.ts'
import { hexPrefix, hexPrefixNibbles, isLeafPrefix } from './nibbles.ts'

/** RLP of a child's hash (33 bytes), or of an embedded node (under 32 bytes). */
export type NodeReference = Uint8Array
export type Child = NodeReference | TrieNode | null

export interface BranchNode {
  readonly kind: 'branch'
  readonly children: Child[]
}
export interface ExtensionNode {
  readonly kind: 'extension'
  readonly nibbles: Uint8Array
  readonly child: NodeReference | TrieNode
}
export interface LeafNode {
  readonly kind: 'leaf'
  readonly nibbles: Uint8Array
  readonly value: Uint8Array
}
export type TrieNode = BranchNode | ExtensionNode | LeafNode

const HASH_ITEM = 0xa0
const EMPTY_ITEM = 0x80

export function isReference(child: Child): child is NodeReference {
  return child instanceof Uint8Array
}

export function isHashReference(reference: NodeReference): boolean {
  return reference[0] === HASH_ITEM
}

export function referenceHash(reference: NodeReference): Bytes32 {
  return reference.subarray(1)
}

export function hashReference(hash: Bytes32): NodeReference {
  const out = new Uint8Array(33)
  out[0] = HASH_ITEM
  out.set(hash, 1)
  return out
}

export function decodeNode(rlp: Uint8Array): TrieNode {
  const items = splitList(rlp)
  if (items.length === 17) {
    const children: Child[] = []
    for (let i = 0; i < 16; i++) children.push(childReference(items[i] as Uint8Array))
    if ((items[16] as Uint8Array)[0] !== EMPTY_ITEM) throw badNode(rlp, 'a branch holds a value')
    return { kind: 'branch', children }
  }
  if (items.length !== 2) throw badNode(rlp, `${items.length} items`)
  const prefix = itemBytes(items[0] as Uint8Array)
  if (prefix.length === 0) throw badNode(rlp, 'no path')
  const nibbles = hexPrefixNibbles(prefix)
  if (isLeafPrefix(prefix)) return { kind: 'leaf', nibbles, value: itemBytes(items[1] as Uint8Array) }
  const child = childReference(items[1] as Uint8Array)
  if (child === null || nibbles.length === 0) throw badNode(rlp, 'an extension that leads nowhere')
  return { kind: 'extension', nibbles, child }
}

/** All children must be references. */
export function encodeNode(node: TrieNode): Uint8Array {
  if (node.kind === 'leaf') return encodeLeaf(node.nibbles, 0, node.value)
  if (node.kind === 'extension') return rlpEncodeList([rlpEncode(hexPrefix(node.nibbles, false)), reference(node.child)])
  return encodeBranch(node.children)
}

/** The leaf with the path `nibbles` from `depth` on. */
export function encodeLeaf(nibbles: Uint8Array, depth: number, value: Uint8Array): Uint8Array {
  const path = (nibbles.length - depth) >> 1
  const single = value.length === 1 && (value[0] as number) < EMPTY_ITEM
  // A path of up to 64 nibbles has a head of one byte, or of none when it is a single byte, which is below 0x80.
  const pathHead = path === 0 ? 0 : 1
  const valueHead = single ? 0 : value.length < 56 ? 1 : value.length < 256 ? 2 : 3
  if (value.length > 0xffff) return rlpEncode([hexPrefix(nibbles.subarray(depth), true), value])
  const payload = pathHead + 1 + path + valueHead + value.length
  const headLength = payload < 56 ? 1 : payload < 256 ? 2 : payload < 65_536 ? 3 : 4
  const out = new Uint8Array(headLength + payload)
  let at = writeHead(out, 0, headLength, payload, 0xc0)
  if (pathHead === 1) out[at++] = EMPTY_ITEM + path + 1
  let from = depth
  out[at++] = (nibbles.length - depth) % 2 === 1 ? 0x30 | (nibbles[from++] as number) : 0x20
  for (; from < nibbles.length; from += 2) out[at++] = ((nibbles[from] as number) << 4) | (nibbles[from + 1] as number)
  if (valueHead > 0) at = writeHead(out, at, valueHead, value.length, EMPTY_ITEM)
  out.set(value, at)
  return out
}

function writeHead(out: Uint8Array, at: number, headLength: number, length: number, base: number): number {
  if (headLength === 1) out[at] = base + length
  else {
    out[at] = base + 55 + headLength - 1
    for (let i = headLength - 1, rest = length; i > 0; i--, rest >>= 8) out[at + i] = rest & 0xff
  }
  return at + headLength
}

function encodeBranch(children: readonly Child[]): Uint8Array {
  let payload = 1
  for (const child of children) payload += child === null ? 1 : reference(child).length
  const headLength = payload < 56 ? 1 : payload < 256 ? 2 : 3
  const out = new Uint8Array(headLength + payload)
  let at = writeHead(out, 0, headLength, payload, 0xc0)
  for (const child of children) {
    if (child === null) out[at++] = EMPTY_ITEM
    else {
      out.set(child as Uint8Array, at)
      at += (child as Uint8Array).length
    }
  }
  out[at] = EMPTY_ITEM
  return out
}

function reference(child: Child): NodeReference {
  if (!isReference(child)) throw new StateError('state/bad-node', 'critical', 'a node was encoded before its children')
  return child
}

function childReference(item: Uint8Array): NodeReference | null {
  if (item.length === 1 && item[0] === EMPTY_ITEM) return null
  if ((item[0] === HASH_ITEM && item.length === 33) || (item[0] as number) >= 0xc0) return item
  throw badNode(item, 'a child that is neither a hash nor a node')
}

function itemBytes(item: Uint8Array): Uint8Array {
  const first = item[0] as number
  if (first < 0x80) return item
  if (first < 0xb8) return item.subarray(1)
  if (first < 0xc0) return item.subarray(1 + first - 0xb7)
  throw badNode(item, 'a list where bytes belong')
}

/** Rejects lengths encoded in more than three bytes. */
function splitList(rlp: Uint8Array): Uint8Array[] {
  if (rlp.length === 0 || (rlp[0] as number) < 0xc0) throw badNode(rlp, 'not a list')
  const list = extent(rlp, 0)
  if (list.end !== rlp.length) throw badNode(rlp, `${rlp.length} bytes where ${list.end} are announced`)
  const items: Uint8Array[] = []
  for (let at = list.start; at < rlp.length; ) {
    const { end } = extent(rlp, at)
    if (end > rlp.length) throw badNode(rlp, 'an item runs past the end')
    items.push(rlp.subarray(at, end))
    at = end
  }
  return items
}

function extent(rlp: Uint8Array, at: number): { start: number; end: number } {
  const first = rlp[at] as number
  if (first < 0x80) return { start: at, end: at + 1 }
  const short = first - (first >= 0xc0 ? 0xc0 : 0x80)
  if (short < 56) return { start: at + 1, end: at + 1 + short }
  const lengthBytes = short - 55
  if (lengthBytes > 3) throw badNode(rlp, 'a length of more than three bytes')
  let length = 0
  for (let i = 1; i <= lengthBytes; i++) length = length * 256 + (rlp[at + i] ?? 0)
  return { start: at + 1 + lengthBytes, end: at + 1 + lengthBytes + length }
}

function badNode(rlp: Uint8Array, what: string): StateError {
  return new StateError('state/bad-node', 'critical', `not a trie node: ${what}`, { bytes: rlp.length })
}

export function isEmbedded(rlp: Uint8Array): boolean {
  return rlp.length < 32
}
