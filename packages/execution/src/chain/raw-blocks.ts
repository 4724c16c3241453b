import type { Hash } from '@keelson/primitives'
import type { KeyValueReader } from '@keelson/runtime'
import { bodyKey, headerKey, receiptsKey } from './keys.ts'

/** Stored records as they are, past the caches: reads of old blocks do not displace new ones. */
export interface RawBlocks {
  header(hash: Hash): Uint8Array | null
  /** RLP [transactions, withdrawals?]; transactions are byte strings. */
  body(hash: Hash): Uint8Array | null
  /** RLP [[receipt, deposit nonce, sender, fee details], ...]. */
  receipts(hash: Hash): Uint8Array | null
}

export function openRawBlocks(store: Pick<KeyValueReader, 'getSync'>): RawBlocks {
  return {
    header: (hash) => store.getSync(headerKey(hash)),
    body: (hash) => store.getSync(bodyKey(hash)),
    receipts: (hash) => store.getSync(receiptsKey(hash)),
  }
}
