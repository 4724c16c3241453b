import {
  type Bytes20,
  type Crypto,
  type Hash,
  hasHighSignature,
  isSigned,
  recoverSender,
  type SignedTransaction,
  type Transaction,
} from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import type { MemoryUse } from '../memory-use.ts'
import { RecoveryBatch } from './recovery-batch.ts'

export interface Senders {
  /** Null when the signature is invalid. See `recoverSender` for `lowSignatures`. */
  recover(tx: Transaction, lowSignatures?: boolean): Bytes20 | null
  /** Recovers in other threads while the block executes. */
  recoverAll(transactions: readonly Transaction[], lowSignatures?: boolean): SenderList
}

export interface SenderList {
  /** Null when the signature is invalid. */
  at(index: number): Bytes20 | null
}

export interface RememberedSenders extends Senders {
  readonly memory: MemoryUse
}

/** Calls `RecoveryBatch.recoverNext` in other threads until it returns false. */
export interface RecoveryThreads {
  help(batch: SharedArrayBuffer): void
}

const ENTRY_BYTES = 250
/** For fewer signatures, waking a thread takes longer than it saves. */
const LEAST_SHARED = 8
const MOST_SHARED_BYTES = 64 * 2 ** 20

export function createSenders(crypto: Crypto, remembered: number, threads: RecoveryThreads | null = null): RememberedSenders {
  const known = new LRUCache<Hash, Bytes20>({ max: remembered })

  const find = (tx: Transaction, lowSignatures: boolean): Bytes20 | null | undefined => {
    if (!isSigned(tx)) return recoverSender(tx, crypto)
    // Checked before the cache, whose key does not tell which rules apply.
    return lowSignatures && hasHighSignature(tx) ? null : known.get(tx.hash)
  }
  const remember = (tx: Transaction, sender: Bytes20 | null): Bytes20 | null => {
    if (sender !== null) known.set(tx.hash, sender)
    return sender
  }
  const recover = (tx: Transaction, lowSignatures = true): Bytes20 | null => {
    const found = find(tx, lowSignatures)
    return found !== undefined ? found : remember(tx, recoverSender(tx, crypto, lowSignatures))
  }

  return {
    recover,
    recoverAll(transactions, lowSignatures = true) {
      const here: SenderList = { at: (index) => recover(transactions[index] as Transaction, lowSignatures) }
      if (threads === null || transactions.length < LEAST_SHARED) return here
      const unknown: SignedTransaction[] = []
      const places = new Map<number, number>()
      let bytes = 0
      for (const [i, tx] of transactions.entries()) {
        if (!isSigned(tx) || find(tx, lowSignatures) !== undefined) continue
        places.set(i, unknown.push(tx) - 1)
        bytes += tx.raw.length
      }
      if (unknown.length < LEAST_SHARED || bytes > MOST_SHARED_BYTES) return here
      const batch = RecoveryBatch.create(unknown, lowSignatures)
      threads.help(batch.shared)
      const settled: (Bytes20 | null | undefined)[] = []
      return {
        at(index) {
          let sender = settled[index]
          if (sender === undefined) {
            const place = places.get(index)
            sender = place === undefined ? here.at(index) : remember(unknown[place] as SignedTransaction, batch.settle(place, crypto))
            settled[index] = sender
          }
          return sender
        },
      }
    },
    memory: { name: 'senders', maxBytes: remembered * ENTRY_BYTES, bytes: () => known.size * ENTRY_BYTES },
  }
}
