/**
 * Blocks known to be bad, so that they and their descendants are refused without being executed again. Bounded. A
 * descendant is bad only for as long as the block at the root of it is.
 */
import type { Hash } from '@keelson/primitives'
import { createLruCache } from '../chain/lru.ts'
import type { MemoryUse } from '../memory-use.ts'
import type { CoveredBlock } from './covered-block.ts'

export interface KnownInvalid {
  readonly reason: string
  /** The nearest valid ancestor; null when not known. */
  readonly latestValidHash: Hash | null
}

export interface InvalidBlocks {
  remember(block: CoveredBlock, invalid: KnownInvalid): void
  /** A block is bad when it is known to be, or when its parent is; then it is remembered too. */
  find(block: CoveredBlock): KnownInvalid | null
  findHash(hash: Hash): KnownInvalid | null
  /** The block was found valid after all, and so may what builds on it. */
  forget(hash: Hash): void
  readonly size: number
  readonly memory: MemoryUse
}

/** A reason quotes what the block's maker wrote. */
const MAX_REASON_LENGTH = 1_000
const ENTRY_BYTES = 500 + 2 * MAX_REASON_LENGTH

interface Entry extends KnownInvalid {
  /** The bad block that this one builds on, or itself. */
  readonly root: Hash
}

export function createInvalidBlocks(capacity: number): InvalidBlocks {
  const known = createLruCache<Hash, Entry>(capacity)

  /** A descendant keeps its root in use, so that the root is not the first to be forgotten. */
  function findEntry(hash: Hash): Entry | null {
    const entry = known.get(hash)
    if (entry === undefined) return null
    if (entry.root === hash || known.get(entry.root) !== undefined) return entry
    known.delete(hash)
    return null
  }

  return {
    remember({ block }, { reason, latestValidHash }) {
      known.set(block.hash, { reason: reason.slice(0, MAX_REASON_LENGTH), latestValidHash, root: block.hash })
    },
    find({ block }) {
      const own = findEntry(block.hash)
      if (own !== null) return own
      const { parentHash } = block.header
      const parent = findEntry(parentHash)
      if (parent === null) return null
      const { latestValidHash, root } = parent
      const inherited = { reason: `links to previously rejected block ${parentHash}`, latestValidHash, root }
      known.set(block.hash, inherited)
      return inherited
    },
    findHash: findEntry,
    forget: (hash) => known.delete(hash),
    get size() {
      return known.size
    },
    memory: { name: 'invalid', maxBytes: capacity * ENTRY_BYTES, bytes: () => known.size * ENTRY_BYTES },
  }
}
