/** Changes one child without decoding all 16. */
import { type BranchNode, decodeNode, encodeNode, isHashReference, type NodeReference } from './node.ts'

export const HASH_LENGTH = 32
export const NO_CHILD = -1

const LONG_LIST = 0xf7
const EMPTY_ITEM = 0x80
const HASH_ITEM = 0xa0

/** NO_CHILD for none; null unless the node is a branch of hashes only. */
export function hashedChildren(rlp: Uint8Array): Int16Array | null {
  const first = rlp[0] as number
  let at = first <= LONG_LIST ? 1 : 1 + first - LONG_LIST
  const children = new Int16Array(16)
  for (let i = 0; i < 16; i++) {
    const item = rlp[at]
    if (item === EMPTY_ITEM) children[i] = NO_CHILD
    else if (item === HASH_ITEM) children[i] = at + 1
    else return null
    at += item === EMPTY_ITEM ? 1 : 1 + HASH_LENGTH
  }
  return at === rlp.length - 1 && rlp[at] === EMPTY_ITEM ? children : null
}

export class PackedBranch {
  readonly kind = 'packed'
  readonly #rlp: Uint8Array
  readonly #hashes: Int16Array

  private constructor(rlp: Uint8Array, hashes: Int16Array) {
    this.#rlp = rlp
    this.#hashes = hashes
  }

  /** Null if a child is embedded or the node is no branch. */
  static open(rlp: Uint8Array): PackedBranch | null {
    const hashes = hashedChildren(rlp)
    return hashes === null ? null : new PackedBranch(rlp, hashes)
  }

  /** A view into the node. */
  child(nibble: number): NodeReference | null {
    const at = this.#hashes[nibble] as number
    return at === NO_CHILD ? null : this.#rlp.subarray(at - 1, at + HASH_LENGTH)
  }

  get count(): number {
    let count = 0
    for (const at of this.#hashes) if (at !== NO_CHILD) count++
    return count
  }

  decode(): BranchNode {
    return decodeNode(this.#rlp) as BranchNode
  }

  encode(nibbles: readonly number[], references: readonly (NodeReference | null)[]): Uint8Array {
    // A store may return a Buffer, whose slice() shares memory.
    const out = new Uint8Array(this.#rlp)
    for (let i = 0; i < nibbles.length; i++) {
      const at = this.#hashes[nibbles[i] as number] as number
      const reference = references[i] as NodeReference | null
      if (at === NO_CHILD || reference === null || !isHashReference(reference)) return this.#encodeAgain(nibbles, references)
      out.set(reference, at - 1)
    }
    return out
  }

  #encodeAgain(nibbles: readonly number[], references: readonly (NodeReference | null)[]): Uint8Array {
    const { kind, children } = this.decode()
    for (const [i, nibble] of nibbles.entries()) children[nibble] = references[i] as NodeReference | null
    return encodeNode({ kind, children })
  }
}
