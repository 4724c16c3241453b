/**
 * The block that the sequencer is building, as far as this node knows it. The state root, the hash and the root of the withdrawals are
 * zero, because they exist only when the block is sealed. specs: protocol/subblocks.md#zero-valued-fields
 */
import type { HeaderSkeleton, IncludedTx, OpenBlock } from '@keelson/evm'
import {
  BLOOM_BYTES,
  type Block,
  type Bytes20,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  encodeHeader,
  encodeReceipt,
  type Hash,
  type Header,
  mergeBloom,
  orderedListRoot,
  type StateDiff,
  type Transaction,
  type Withdrawal,
  ZERO_HASH,
} from '@keelson/primitives'
import { decodeStoredBlock, decodeStoredReceipts, encodeBody, encodeStoredReceipts, type StoredReceipt } from '../chain/records.ts'

/** In the encodings of the store, so that threads can share it. */
export interface PendingBlock {
  readonly parentHash: Hash
  readonly header: Uint8Array
  readonly body: Uint8Array
  readonly receipts: Uint8Array
  /** From the state of the parent. */
  readonly diff: StateDiff
}

export interface ProvisionalBlock {
  readonly block: Block
  readonly receipts: readonly StoredReceipt[]
}

export interface OpenPendingBlock extends ProvisionalBlock {
  /** Null for a transaction that is not in the block. */
  indexOf(transaction: Hash): number | null
}

/** A build so far. The three lists are parallel. */
export interface BuildProgress {
  readonly skeleton: HeaderSkeleton
  readonly extraData: Uint8Array
  readonly withdrawals: readonly Withdrawal[] | null
  readonly open: OpenBlock
  readonly transactions: readonly Transaction[]
  readonly senders: readonly Bytes20[]
  readonly results: readonly IncludedTx[]
}

export function provisionalBlock(progress: BuildProgress): ProvisionalBlock {
  const { open, transactions, senders, results, withdrawals } = progress
  const { rules } = open
  const header: Header = {
    ...progress.skeleton,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: orderedListRoot(transactions.map((tx) => tx.raw)),
    receiptsRoot: orderedListRoot(results.map(({ receipt }) => encodeReceipt(receipt))),
    logsBloom: bloomOf(results),
    gasUsed: open.gasUsed,
    extraData: progress.extraData,
    nonce: new Uint8Array(8),
    withdrawalsRoot: rules.withdrawals === 'absent' ? null : ZERO_HASH,
    blobGasUsed: rules.blobFields ? open.blobGasUsed : null,
    requestsHash: rules.requests === 'absent' ? null : EMPTY_REQUESTS_HASH,
    blockAccessListHash: null,
    slotNumber: null,
  }
  return {
    block: { hash: ZERO_HASH, header, transactions, withdrawals },
    receipts: results.map(({ receipt, l1Fee }, i) => ({ receipt, sender: senders[i] as Bytes20, l1Fee })),
  }
}

function bloomOf(results: readonly IncludedTx[]): Uint8Array {
  const bloom = new Uint8Array(BLOOM_BYTES)
  for (const { receipt } of results) mergeBloom(bloom, receipt.logsBloom)
  return bloom
}

export function encodePendingBlock({ block, receipts }: ProvisionalBlock, diff: StateDiff): PendingBlock {
  const { header } = block
  return {
    parentHash: header.parentHash,
    header: encodeHeader(header),
    body: encodeBody(block),
    receipts: encodeStoredReceipts(receipts),
    diff,
  }
}

const opened = new WeakMap<PendingBlock, OpenPendingBlock>()

export function openPendingBlock(pending: PendingBlock): OpenPendingBlock {
  let known = opened.get(pending)
  if (known === undefined) {
    const block = decodeStoredBlock(ZERO_HASH, pending.header, pending.body)
    const indexes = new Map(block.transactions.map(({ hash }, index) => [hash, index]))
    known = { block, receipts: decodeStoredReceipts(pending.receipts), indexOf: (hash) => indexes.get(hash) ?? null }
    opened.set(pending, known)
  }
  return known
}
