/** A block counts as invalid only while its invalid ancestor is cached. */
import type { Hash } from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import type { MemoryUse } from '../memory-use.ts'
import type { CoveredBlock } from './covered-block.ts'

export interface KnownInvalid {
  readonly reason: string
  readonly latestValidHash: Hash | null
}

export interface InvalidBlocks {
  remember(block: CoveredBlock, invalid: KnownInvalid): void
  find(block: CoveredBlock): KnownInvalid | null
  findHash(hash: Hash): KnownInvalid | null
  /** The caller knows that the hash covers the reason. */
  condemn(hash: Hash, invalid: KnownInvalid): void
  /** `hash` descends from `ancestor`; without effect if that one is not known as invalid. */
  condemnDescendant(hash: Hash, ancestor: Hash): void
  forget(hash: Hash): void
  readonly size: number
  readonly memory: MemoryUse
}

/** Reasons contain text from the block's producer. */
const MAX_REASON_LENGTH = 1_000
const ENTRY_BYTES = 500 + 2 * MAX_REASON_LENGTH

interface Entry extends KnownInvalid {
  readonly root: Hash
}

function inherit({ latestValidHash, root }: Entry, ancestor: Hash): Entry {
  return { reason: `links to previously rejected block ${ancestor}`, latestValidHash, root }
}

export function createInvalidBlocks(capacity: number): InvalidBlocks {
  const known = new LRUCache<Hash, Entry>({ max: capacity })

  /** Also refreshes the entry of the invalid ancestor, so that its descendants are evicted first. */
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
      const inherited = inherit(parent, parentHash)
      known.set(block.hash, inherited)
      return inherited
    },
    findHash: findEntry,
    condemn(hash, { reason, latestValidHash }) {
      known.set(hash, { reason: reason.slice(0, MAX_REASON_LENGTH), latestValidHash, root: hash })
    },
    condemnDescendant(hash, ancestor) {
      const entry = findEntry(ancestor)
      if (entry !== null) known.set(hash, inherit(entry, ancestor))
    },
    forget: (hash) => known.delete(hash),
    get size() {
      return known.size
    },
    memory: { name: 'invalid', maxBytes: capacity * ENTRY_BYTES, bytes: () => known.size * ENTRY_BYTES },
  }
}
