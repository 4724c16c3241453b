import { type Bytes20, type Crypto, type Hash, hasHighSignature, isDeposit, recoverSender, type Transaction } from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import type { MemoryUse } from './memory-use.ts'

export interface Senders {
  /** Null when the signature is invalid. See `recoverSender` for `lowSignatures`. */
  recover(tx: Transaction, lowSignatures?: boolean): Bytes20 | null
}

export interface RememberedSenders extends Senders {
  readonly memory: MemoryUse
}

const ENTRY_BYTES = 250

export function createSenders(crypto: Crypto, remembered: number): RememberedSenders {
  const known = new LRUCache<Hash, Bytes20>({ max: remembered })
  return {
    recover(tx, lowSignatures = true) {
      if (isDeposit(tx)) return tx.from
      // Checked before the cache: the cache key (the hash) does not tell which rules apply.
      if (lowSignatures && hasHighSignature(tx)) return null
      const before = known.get(tx.hash)
      if (before !== undefined) return before
      const sender = recoverSender(tx, crypto, lowSignatures)
      if (sender !== null) known.set(tx.hash, sender)
      return sender
    },
    memory: { name: 'senders', maxBytes: remembered * ENTRY_BYTES, bytes: () => known.size * ENTRY_BYTES },
  }
}
