/** Channels on the canonical chain of L1, as a reader that knows no L2 chain decodes them. */
import type { RollupConfig } from '@keelson/chainspec'
import { decodeBatcherTransaction, decodeBlob, type Frame, openChannel, type SpanBatchLayout } from '@keelson/derivation/codec'
import { decompress } from '@keelson/node/assembly'
import { bytesToHex, concatBytes, type Hash, hexToBytes, type SignedTransaction, TX_BLOB, toAddress, toHash } from '@keelson/primitives'
import type { L1Block } from '../l1/l1-block.ts'
import type { SimulatedL1 } from '../l1/simulated-l1.ts'

export interface PostedChannel {
  readonly id: string
  /** L2 blocks. */
  readonly from: number
  readonly to: number
  /** Whether the origin of its last block is on L1. */
  readonly isOriginOnL1: boolean
}

type L1 = Pick<SimulatedL1, 'head' | 'block' | 'blobs'>

const RULES = { maxRlpBytesPerChannel: 100_000_000, maxSpanBatchElements: 10_000_000, brotliChannels: true }

export class PostedChannels {
  readonly #l1: L1
  readonly #config: Pick<RollupConfig, 'batchInbox' | 'genesis' | 'blockTimeSec'>
  readonly #open = new Map<string, Frame[]>()
  #read: Hash

  constructor(l1: L1, config: Pick<RollupConfig, 'batchInbox' | 'genesis' | 'blockTimeSec'>) {
    this.#l1 = l1
    this.#config = config
    this.#read = l1.head.hash
  }

  /** Those that became complete since the last call, in their order on L1. Null after a reorg, once, which forgets open channels. */
  take(): readonly PostedChannel[] | null {
    const unread: L1Block[] = []
    for (let block: L1Block | null = this.#l1.head; block?.hash !== this.#read; block = this.#l1.block(block.header.parentHash)) {
      if (block === null) return this.#forget()
      unread.push(block)
    }
    this.#read = this.#l1.head.hash
    return unread.reverse().flatMap(({ transactions }) => transactions.flatMap((tx) => this.#channelsOf(tx)))
  }

  #forget(): null {
    this.#open.clear()
    this.#read = this.#l1.head.hash
    return null
  }

  #channelsOf(tx: SignedTransaction): readonly PostedChannel[] {
    if (tx.to === null || toAddress(tx.to) !== this.#config.batchInbox) return []
    const frames = this.#dataOf(tx).flatMap((data) => decodeBatcherTransaction(data))
    return frames.flatMap((frame) => this.#add(frame)).map(({ id, batch }) => this.#posted(id, batch))
  }

  #dataOf(tx: SignedTransaction): readonly Uint8Array[] {
    if (tx.type !== TX_BLOB) return [tx.data]
    return tx.blobVersionedHashes.map((hash) => decodeBlob(hexToBytes(this.#l1.blobs.find(toHash(hash)) ?? '')))
  }

  /** The span batches of the channel that the frame completes. */
  #add(frame: Frame): readonly { readonly id: string; readonly batch: SpanBatchLayout }[] {
    const id = frame.channelId
    const frames = [...(this.#open.get(id) ?? []), frame]
    this.#open.set(id, frames)
    if (!frame.isLast || frames.length !== frame.number + 1) return []
    this.#open.delete(id)
    const opened = openChannel(concatBytes(...frames.map(({ data }) => data)), RULES, { decompress })
    if (!opened.ok) return []
    for (const found = []; ; ) {
      const next = opened.batches.next()
      if (next.kind === 'batch' && next.batch.kind === 'span') found.push({ id, batch: next.batch.layout })
      else if (next.kind !== 'again') return found
    }
  }

  #posted(id: string, { relTimestampSec, blockCount, l1OriginNumber, l1OriginCheck }: SpanBatchLayout): PostedChannel {
    const { genesis, blockTimeSec } = this.#config
    const from = genesis.l2.number + Number(relTimestampSec) / blockTimeSec
    const origin = this.#l1.block(Number(l1OriginNumber))
    const isOriginOnL1 = origin?.hash.startsWith(bytesToHex(l1OriginCheck)) === true
    return { id, from, to: from + blockCount - 1, isOriginOnL1 }
  }
}
