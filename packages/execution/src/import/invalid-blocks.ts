/** Blocks known to be bad, so that they and their descendants are refused without being executed again. Bounded. */
import type { Block, Hash } from '@keelson/primitives'
import { createLruCache } from '../chain/lru.ts'

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
}

export function createInvalidBlocks(capacity: number): InvalidBlocks {
  const known = createLruCache<Hash, KnownInvalid>(capacity)
  return {
    remember: (hash, invalid) => known.set(hash, invalid),
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
  }
}
