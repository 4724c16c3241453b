/** Blocks known to be bad, so that they and their descendants are refused without being executed again. Bounded. */
import type { Block, Hash } from '@keelson/primitives'
import { createLruCache } from '../chain/lru.ts'
import type { MemoryUse } from '../memory-use.ts'

export interface KnownInvalid {
  readonly reason: string
  /** The nearest valid ancestor; null when not known. */
  readonly latestValidHash: Hash | null
}

export interface InvalidBlocks {
  remember(hash: Hash, invalid: KnownInvalid): void
  /** Of a block or of its parent; a child of a bad block is remembered too. */
  find(block: Pick<Block, 'hash'> & { readonly header: { readonly parentHash: Hash } }): KnownInvalid | null
  findHash(hash: Hash): KnownInvalid | null
  readonly size: number
  readonly memory: MemoryUse
}

/** A reason quotes what the block's maker wrote. */
const MAX_REASON_LENGTH = 1_000
const ENTRY_BYTES = 400 + 2 * MAX_REASON_LENGTH

export function createInvalidBlocks(capacity: number): InvalidBlocks {
  const known = createLruCache<Hash, KnownInvalid>(capacity)
  return {
    remember: (hash, { reason, latestValidHash }) => known.set(hash, { reason: reason.slice(0, MAX_REASON_LENGTH), latestValidHash }),
    find(block) {
      const own = known.get(block.hash)
      if (own !== undefined) return own
      const parent = known.get(block.header.parentHash)
      if (parent === undefined) return null
      const inherited = { reason: `links to previously rejected block ${block.header.parentHash}`, latestValidHash: parent.latestValidHash }
      known.set(block.hash, inherited)
      return inherited
    },
    findHash: (hash) => known.get(hash) ?? null,
    get size() {
      return known.size
    },
    memory: { name: 'invalid', maxBytes: capacity * ENTRY_BYTES, bytes: () => known.size * ENTRY_BYTES },
  }
}
