/** protocol/derivation.md#l1-retrieval */
import {
  type Address,
  bytesToHex,
  equalBytes,
  type Hash,
  hexToBytes,
  NodeError,
  recipientOf,
  recoverSender,
  type SystemConfig,
  type Transaction,
  TX_BLOB,
} from '@keelson/primitives'
import { createL1Retrieval } from '../pipeline/l1-retrieval.ts'
import type { L1Traversal } from '../pipeline/l1-traversal.ts'
import type { BlobReader, SenderRecovery } from '../ports.ts'
import type { Drop, InspectionContext } from './inspection-context.ts'
import type { TransactionSeen } from './inspection-event.ts'

export interface InboxTransaction {
  readonly seen: Omit<TransactionSeen, 'frames'>
  readonly hash: Hash
  readonly data: readonly Uint8Array[]
  readonly partial: readonly Drop[]
}

export interface InboxDependencies {
  readonly blobs: BlobReader
  readonly crypto: SenderRecovery
}

/** Missing blobs make a transaction unreadable and do not throw. */
export async function inspectTransactions(
  context: InspectionContext,
  systemConfig: SystemConfig,
  transactions: readonly Transaction[],
  deps: InboxDependencies,
): Promise<InboxTransaction[]> {
  const inbox = hexToBytes(context.config.batchInbox)
  const found: InboxTransaction[] = []
  for (const [index, tx] of transactions.entries()) {
    const to = recipientOf(tx)
    if (to !== null && equalBytes(to, inbox)) found.push(await inspectTransaction(context, systemConfig, tx, index, deps))
  }
  return found
}

async function inspectTransaction(
  context: InspectionContext,
  systemConfig: SystemConfig,
  tx: Transaction,
  index: number,
  deps: InboxDependencies,
): Promise<InboxTransaction> {
  const { data, unreadable } = await retrieve(context, systemConfig, tx, deps)
  const { hash } = tx
  const sender = recoverSender(tx, deps.crypto)
  const from = sender === null ? null : (bytesToHex(sender) as Address)
  const drops = context.takeDrops()
  const main = drops.find(({ reason }) => reason !== 'blob-tx-calldata') ?? null
  const viaBlobs = tx.type === TX_BLOB && context.rules.blobs
  return {
    hash,
    data,
    partial: drops.filter((drop) => drop !== main),
    seen: {
      kind: 'transaction',
      l1Block: context.origin.number,
      index,
      hash,
      from,
      fromBatcher: from === systemConfig.batcherAddress,
      type: tx.type,
      carrier: viaBlobs ? 'blobs' : 'calldata',
      blobs: tx.type === TX_BLOB ? tx.blobVersionedHashes.length : 0,
      bytes: data.reduce((sum, item) => sum + item.length, 0),
      dropped: main?.reason ?? null,
      unreadable,
    },
  }
}

async function retrieve(
  context: InspectionContext,
  systemConfig: SystemConfig,
  tx: Transaction,
  deps: InboxDependencies,
): Promise<{ readonly data: Uint8Array[]; readonly unreadable: string | null }> {
  const stage = createL1Retrieval(context, singleBlock(context, systemConfig), { ...deps, l1: { transactions: async () => [tx] } })
  const data: Uint8Array[] = []
  try {
    for (;;) {
      const pulled = await stage.pull()
      if (pulled.kind === 'origin-exhausted') return { data, unreadable: null }
      if (pulled.kind === 'item') data.push(pulled.item)
    }
  } catch (error) {
    if (!(error instanceof NodeError) || (error as { severity?: unknown }).severity !== 'temporary') throw error
    return { data, unreadable: error.message }
  }
}

function singleBlock(context: InspectionContext, systemConfig: SystemConfig): L1Traversal {
  let unread = true
  return {
    origin: context.origin,
    systemConfig,
    get unread() {
      return unread ? context.origin : null
    },
    markRead() {
      unread = false
    },
    advance: async () => false,
    reset: () => undefined,
  }
}
