import type { Hash } from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import { hashOfStoredTransaction, type StoredTransactions, transactionsInBody } from './records.ts'

const MAX_HASHES = 16_384

/** Decodes a body once for consecutive requests. */
export class TransactionHashes {
  readonly #known = new LRUCache<string, Hash>({ max: MAX_HASHES })
  #last: { readonly block: Hash; readonly transactions: StoredTransactions } | null = null

  get(block: Hash, index: number, readBody: () => Uint8Array | null): Hash | null {
    const key = `${block}${index}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.#last?.block !== block) {
      const body = readBody()
      if (body === null) return null
      this.#last = { block, transactions: transactionsInBody(body) }
    }
    const hash = hashOfStoredTransaction(this.#last.transactions, index)
    if (hash !== null) this.#known.set(key, hash)
    return hash
  }
}
