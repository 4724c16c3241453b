/** A branch collapses only if a single child remains after all writes, which keeps witnesses small. */
import { type Bytes32, compareBytes, EMPTY_TRIE_ROOT_BYTES, equalBytes, keccak256 } from '@keelson/primitives'
import { bytesToKey } from '../byte-key.ts'
import { StateError } from '../errors.ts'
import { type Child, encodeChanged, isReference, NIBBLES, type Node, type OpenBranch, toReference } from './changed-node.ts'
import { bytesToNibbles, commonNibbles, joinNibbles } from './nibbles.ts'
import { decodeNode, encodeLeaf, hashReference, isEmbedded, isHashReference, type NodeReference, referenceHash } from './node.ts'
import { getNode, type NodeGuess, type NodePath, type NodeSource } from './node-source.ts'
import { PackedBranch } from './packed-branch.ts'

export interface TrieWrite {
  readonly key: Uint8Array
  readonly value: Uint8Array | null
  /** Avoids a read. */
  readonly before?: () => Uint8Array | null
}

export interface TrieUpdate {
  readonly root: Bytes32
  /** Keyed by prefix and path; null for deleted nodes. */
  readonly nodes: ReadonlyMap<string, Uint8Array | null>
}

interface Entry {
  readonly key: Uint8Array
  readonly nibbles: Uint8Array
  readonly value: Uint8Array | null
  readonly before?: (() => Uint8Array | null) | undefined
  /** What `before` returned. */
  known?: Uint8Array | null
}

/** The last write to a key wins. */
export function updateTrie(source: NodeSource, root: Bytes32, writes: readonly TrieWrite[], prefix = ''): TrieUpdate {
  const entries = sortedEntries(writes)
  const before: Child = equalBytes(root, EMPTY_TRIE_ROOT_BYTES) ? null : hashReference(root)
  const batch = new Batch(source, prefix)
  const after = entries.length === 0 ? before : batch.update(before, '', entries)
  if (after === before) return { root, nodes: new Map() }
  const { nodes } = batch
  let newRoot = EMPTY_TRIE_ROOT_BYTES
  if (after !== null) {
    const rlp = encodeChanged(after as Node, prefix, nodes)
    newRoot = keccak256(rlp)
    nodes.set(prefix, rlp)
  }
  for (const path of batch.replaced) if (!nodes.has(prefix + path)) nodes.set(prefix + path, null)
  return { root: newRoot, nodes }
}

function sortedEntries(writes: readonly TrieWrite[]): Entry[] {
  const sorted = writes.map(({ key, value, before }): Entry => ({ key, nibbles: bytesToNibbles(key), value, before }))
  sorted.sort((a, b) => compareBytes(a.key, b.key))
  return sorted.filter((entry, i) => {
    const next = sorted[i + 1]
    return next === undefined || !equalBytes(entry.key, next.key)
  })
}

class Batch {
  /** Paths of stored nodes that may have moved or gone. */
  readonly replaced: NodePath[] = []
  readonly nodes = new Map<string, Uint8Array | null>()
  private readonly source: NodeSource
  private readonly prefix: string

  constructor(source: NodeSource, prefix: string) {
    this.source = source
    this.prefix = prefix
  }

  /** Returns the same object when nothing changes. */
  update(child: Child, path: NodePath, entries: readonly Entry[]): Child {
    if (child === null) {
      const live = entries.filter((entry) => entry.value !== null)
      return live.length === 0 ? null : build(live, path.length)
    }
    const node = this.openForUpdate(child, path, entries)
    const after = node instanceof PackedBranch ? this.updatePacked(node, path, entries) : this.updateNode(node, path, entries)
    if (after === 'unchanged') return child
    const staysInPlace = after !== null && !isReference(after) && after.kind === 'encoded' && !isEmbedded(after.rlp)
    if (!staysInPlace) this.markReplaced(child, path)
    return after
  }

  private open(child: NodeReference | Node, path: NodePath): Node {
    if (!isReference(child)) return child
    return decodeNode(isHashReference(child) ? getNode(this.source, path, referenceHash(child)) : child)
  }

  private openForUpdate(child: NodeReference | Node, path: NodePath, entries: readonly Entry[]): Node | PackedBranch {
    if (!isReference(child)) return child
    if (!isHashReference(child)) return decodeNode(child)
    const rlp = getNode(this.source, path, referenceHash(child), guessLeaf(path.length, entries))
    return PackedBranch.open(rlp) ?? decodeNode(rlp)
  }

  private updateNode(node: Node, path: NodePath, entries: readonly Entry[]): Child | 'unchanged' {
    if (node.kind === 'leaf') return updateLeaf(node.nibbles, node.value, path.length, entries)
    if (node.kind === 'extension') return this.updateExtension(node.nibbles, node.child, path, entries)
    if (node.kind === 'branch') return this.updateBranch(node.children, path, entries)
    throw new StateError('state/bad-node', 'critical', 'a branch was updated twice')
  }

  /** Encodes changed children at once, unless a single child is left, which may move up. */
  private updatePacked(branch: PackedBranch, path: NodePath, entries: readonly Entry[]): Child | 'unchanged' {
    const nibbles: number[] = []
    const changed: Child[] = []
    let { count } = branch
    forEachNibble(entries, path.length, (nibble, group) => {
      const before = branch.child(nibble)
      const after = this.update(before, path + NIBBLES[nibble], group)
      if (after === before) return
      nibbles.push(nibble)
      changed.push(after)
      count += (after === null ? 0 : 1) - (before === null ? 0 : 1)
    })
    if (nibbles.length === 0) return 'unchanged'
    if (count > 1) {
      const below = this.prefix + path
      const references = changed.map((child, i) =>
        child === null ? null : toReference(child, below + NIBBLES[nibbles[i] as number], this.nodes),
      )
      return { kind: 'encoded', rlp: branch.encode(nibbles, references) }
    }
    const { children } = branch.decode() as OpenBranch
    for (const [i, nibble] of nibbles.entries()) children[nibble] = changed[i] as Child
    return this.collapse(children, path)
  }

  private markReplaced(child: Child, path: NodePath): void {
    if (isReference(child) && isHashReference(child)) this.replaced.push(path)
  }

  private updateBranch(present: readonly Child[], path: NodePath, entries: readonly Entry[]): Child | 'unchanged' {
    const children = present.slice()
    let changed = false
    forEachNibble(entries, path.length, (nibble, group) => {
      const before = children[nibble] as Child
      const after = this.update(before, path + NIBBLES[nibble], group)
      if (after === before) return
      children[nibble] = after
      changed = true
    })
    return changed ? this.collapse(children, path) : 'unchanged'
  }

  private collapse(children: Child[], path: NodePath): Child {
    let only = -1
    for (let i = 0; i < 16; i++) {
      if (children[i] === null) continue
      if (only >= 0) return { kind: 'branch', children }
      only = i
    }
    if (only < 0) return null
    return this.prepend(Uint8Array.of(only), children[only] as NodeReference | Node, path)
  }

  private prepend(nibbles: Uint8Array, child: NodeReference | Node, path: NodePath): Node {
    const childPath = path + bytesToKey(nibbles)
    const node = this.open(child, childPath)
    if (node.kind === 'branch' || node.kind === 'encoded') return { kind: 'extension', nibbles, child }
    this.markReplaced(child, childPath)
    return { ...node, nibbles: joinNibbles(nibbles, node.nibbles) }
  }

  private updateExtension(
    nibbles: Uint8Array,
    child: NodeReference | Node,
    path: NodePath,
    entries: readonly Entry[],
  ): Child | 'unchanged' {
    const depth = path.length
    // Removing a key outside the extension must not split it.
    const live = entries.filter((e) => e.value !== null || commonNibbles(e.nibbles, depth, nibbles, 0) === nibbles.length)
    if (live.length === 0) return 'unchanged'
    const shared = Math.min(
      commonNibbles((live[0] as Entry).nibbles, depth, nibbles, 0),
      commonNibbles((live[live.length - 1] as Entry).nibbles, depth, nibbles, 0),
    )
    if (shared === nibbles.length) {
      const after = this.update(child, path + bytesToKey(nibbles), live)
      if (after === child) return 'unchanged'
      return after === null ? null : this.prepend(nibbles, after, path)
    }
    const rest = nibbles.subarray(shared + 1)
    const children: Child[] = new Array<Child>(16).fill(null)
    children[nibbles[shared] as number] = rest.length === 0 ? child : { kind: 'extension', nibbles: rest, child }
    const branch: OpenBranch = { kind: 'branch', children }
    const after = this.update(branch, path + bytesToKey(nibbles.subarray(0, shared)), live)
    if (after === null || shared === 0) return after
    return this.prepend(nibbles.subarray(0, shared), after, path)
  }
}

/** Most updates change one known value, so its leaf need not be read. */
function guessLeaf(depth: number, entries: readonly Entry[]): NodeGuess | undefined {
  const [entry] = entries as [Entry]
  const { nibbles, before } = entry
  if (entries.length > 1 || before === undefined) return undefined
  return () => {
    if (entry.known === undefined) entry.known = before()
    return entry.known === null ? null : encodeLeaf(nibbles, depth, entry.known)
  }
}

function updateLeaf(nibbles: Uint8Array, value: Uint8Array, depth: number, entries: readonly Entry[]): Child | 'unchanged' {
  const own = entries.find((entry) => commonNibbles(entry.nibbles, depth, nibbles, 0) === nibbles.length)
  if (own !== undefined && entries.length === 1 && own.value !== null) {
    return equalBytes(own.value, value) ? 'unchanged' : { kind: 'leaf', nibbles, value: own.value }
  }
  const live = entries.filter((entry) => entry.value !== null && entry !== own)
  const kept = own === undefined ? value : own.value
  if (live.length === 0 && kept !== null && equalBytes(kept, value)) return 'unchanged'
  if (kept !== null) {
    const path = (entries[0] as Entry).nibbles.subarray(0, depth)
    const leaf: Entry = { key: EMPTY_TRIE_ROOT_BYTES, nibbles: joinNibbles(path, nibbles), value: kept }
    const at = live.findIndex((entry) => compareBytes(entry.nibbles, leaf.nibbles) > 0)
    live.splice(at < 0 ? live.length : at, 0, leaf)
  }
  return live.length === 0 ? null : build(live, depth)
}

function build(entries: readonly Entry[], depth: number): Node {
  const first = entries[0] as Entry
  if (entries.length === 1) return { kind: 'leaf', nibbles: first.nibbles.subarray(depth), value: first.value as Uint8Array }
  const shared = commonNibbles(first.nibbles, depth, (entries[entries.length - 1] as Entry).nibbles, depth)
  const children: Child[] = new Array<Child>(16).fill(null)
  forEachNibble(entries, depth + shared, (nibble, group) => {
    children[nibble] = build(group, depth + shared + 1)
  })
  const branch: OpenBranch = { kind: 'branch', children }
  if (shared === 0) return branch
  return { kind: 'extension', nibbles: first.nibbles.subarray(depth, depth + shared), child: branch }
}

function forEachNibble(entries: readonly Entry[], depth: number, visit: (nibble: number, group: readonly Entry[]) => void): void {
  for (let from = 0; from < entries.length; ) {
    const nibble = (entries[from] as Entry).nibbles[depth] as number
    let to = from + 1
    while (to < entries.length && (entries[to] as Entry).nibbles[depth] === nibble) to++
    visit(nibble, to - from === entries.length ? entries : entries.slice(from, to))
    from = to
  }
}
