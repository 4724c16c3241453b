/** Who signed a transaction, remembered: the pool recovers it first, import and builder ask again. */
import { type Bytes20, type Crypto, type Hash, isDeposit, recoverSender, type Transaction } from '@keelson/primitives'
import { createLruCache } from './chain/lru.ts'
import type { MemoryUse } from './memory-use.ts'

export interface Senders {
  /** A deposit's `from`, or the signer; null when the signature is not valid. */
  recover(tx: Transaction): Bytes20 | null
}

export interface RememberedSenders extends Senders {
  readonly memory: MemoryUse
}

/** A hash as text, an address, and their place in the map. */
const ENTRY_BYTES = 250

export function createSenders(crypto: Crypto, remembered: number): RememberedSenders {
  const known = createLruCache<Hash, Bytes20>(remembered)
  return {
    recover(tx) {
      if (isDeposit(tx)) return tx.from
      const before = known.get(tx.hash)
      if (before !== undefined) return before
      const sender = recoverSender(tx, crypto)
      if (sender !== null) known.set(tx.hash, sender)
      return sender
    },
    memory: { name: 'senders', maxBytes: remembered * ENTRY_BYTES, bytes: () => known.size * ENTRY_BYTES },
  }
}
