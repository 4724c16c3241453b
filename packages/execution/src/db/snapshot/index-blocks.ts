import {
  bytesToHex,
  type Crypto,
  decodeHeader,
  equalBytes,
  type Hash,
  hashHeader,
  hexToBytes,
  isDeposit,
  recoverSender,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { blockAtKey, bodyKey, canonicalKey, headerKey, receiptsKey, transactionKey } from '../../chain/keys.ts'
import { logPostings } from '../../chain/log-postings.ts'
import { decodeStoredBlock, decodeStoredReceipts, encodeLocation } from '../../chain/records.ts'
import type { TaskContext } from '../database.ts'
import { badSnapshot } from './snapshot-format.ts'

const NOTHING = new Uint8Array(0)
const OPS_PER_BATCH = 5_000

/** Walks from `hash` down to `oldest`. Throws ExecutionError `execution/bad-snapshot`, CodecError. */
export async function indexBlocks(store: KeyValueStore, hash: Hash, oldest: number, crypto: Crypto, context: TaskContext): Promise<void> {
  let at = hash
  let ops: KeyValueOp[] = []
  for (let done = 1; ; done++) {
    const { header, ops: own } = indexesOf(store, at, crypto)
    ops.push(...own)
    if (header.number <= oldest || ops.length >= OPS_PER_BATCH) {
      await store.batch(ops)
      ops = []
      context.report({ phase: 'blocks', done, of: null, resume: null })
      await context.breathe()
    }
    if (header.number <= oldest) return
    at = header.parentHash
  }
}

function indexesOf(store: KeyValueStore, hash: Hash, crypto: Crypto) {
  const [rawHeader, rawBody, rawReceipts] = [headerKey(hash), bodyKey(hash), receiptsKey(hash)].map((key) => store.getSync(key))
  if (!rawHeader || !rawBody || !rawReceipts) throw badSnapshot(`block ${hash} is not in it`)
  const header = decodeHeader(rawHeader)
  if (hashHeader(header) !== hash) throw badSnapshot(`the header of block ${hash} is another, ${bytesToHex(rawHeader.subarray(0, 8))}...`)
  const { number } = header
  const { transactions } = decodeStoredBlock(hash, rawHeader, rawBody)
  const receipts = decodeStoredReceipts(rawReceipts)
  // No root in the header covers the stored senders, so check them.
  for (const [index, tx] of transactions.entries()) {
    const sender = isDeposit(tx) ? tx.from : recoverSender(tx, crypto)
    const stored = receipts[index]?.sender
    if (sender === null || stored === undefined || !equalBytes(sender, stored))
      throw badSnapshot(`the sender of transaction ${tx.hash} in block ${number} is another`)
  }
  const ops: KeyValueOp[] = [
    { put: canonicalKey(number), value: hexToBytes(hash) },
    { put: blockAtKey(number, hash), value: NOTHING },
    ...transactions.map((tx, index) => ({ put: transactionKey(tx.hash), value: encodeLocation({ blockNumber: number, index }) })),
    ...logPostings(number, receipts).map((put) => ({ put, value: NOTHING })),
  ]
  return { header, ops }
}
