import { type Bytes32, EMPTY_TRIE_ROOT_BYTES, keccak256 } from '@keelson/primitives'
import { bytesToNibbles, commonNibbles } from './nibbles.ts'
import { type Child, encodeNode, hashReference, isEmbedded, type NodeReference, type TrieNode } from './node.ts'

export interface TrieBuilder {
  /** Keys must be added in ascending order. */
  add(key: Uint8Array, value: Uint8Array): void
  finish(): Bytes32
}

interface OpenBranch {
  readonly depth: number
  readonly children: Child[]
}

/** `emit` receives children before their parents; it must copy `path` to keep it. */
export function createTrieBuilder(emit: (path: Uint8Array, rlp: Uint8Array) => void): TrieBuilder {
  const open: OpenBranch[] = []
  let last: { readonly nibbles: Uint8Array; readonly value: Uint8Array } | null = null

  const close = (node: TrieNode, depth: number, nibbles: Uint8Array): NodeReference => {
    const rlp = encodeNode(node)
    if (isEmbedded(rlp) && depth > 0) return rlp
    emit(nibbles.subarray(0, depth), rlp)
    return hashReference(keccak256(rlp))
  }
  const branchAt = (depth: number): OpenBranch => {
    const top = open.at(-1)
    if (top !== undefined && top.depth >= depth) return top
    const branch: OpenBranch = { depth, children: new Array<Child>(16).fill(null) }
    open.push(branch)
    return branch
  }
  const closeTo = (depth: number): NodeReference | null => {
    const { nibbles, value } = last as NonNullable<typeof last>
    let parent = depth < 0 ? (open.at(-1) ?? null) : branchAt(depth)
    let from = parent === null ? 0 : parent.depth + 1
    let done = close({ kind: 'leaf', nibbles: nibbles.subarray(from), value }, from, nibbles)
    while (parent !== null) {
      parent.children[nibbles[parent.depth] as number] = done
      if (parent.depth <= depth) return null
      open.pop()
      const branch: OpenBranch = parent
      done = close({ kind: 'branch', children: branch.children }, branch.depth, nibbles)
      parent = depth < 0 ? (open.at(-1) ?? null) : branchAt(depth)
      from = parent === null ? 0 : parent.depth + 1
      if (from < branch.depth)
        done = close({ kind: 'extension', nibbles: nibbles.subarray(from, branch.depth), child: done }, from, nibbles)
    }
    return done
  }

  return {
    add(key, value) {
      const nibbles = bytesToNibbles(key)
      if (last !== null) closeTo(commonNibbles(last.nibbles, 0, nibbles, 0))
      last = { nibbles, value }
    },
    finish() {
      if (last === null) return EMPTY_TRIE_ROOT_BYTES
      return (closeTo(-1) as NodeReference).subarray(1)
    },
  }
}
