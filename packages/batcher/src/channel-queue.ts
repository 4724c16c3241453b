/** From blocks to L1 transactions: the open channel, and what of closed ones is still to be sent, in strict order. */
import type { RollupConfig } from '@keelson/chainspec'
import { type Compressor, FRAME_OVERHEAD_BYTES } from '@keelson/derivation/codec'
import { bytesToHex, inclusionTime, type L1BlockRef, type Logger, type Random } from '@keelson/primitives'
import type { BatchBlock } from './batch-block.ts'
import { type Carrier, chooseCarrier, maxFrameBytes, toTransactions } from './carrier.ts'
import { type ChannelBuilder, type ChannelFormat, type CloseReason, createChannelBuilder } from './channel-builder.ts'
import type { BatcherMetrics } from './metrics.ts'
import type { BatcherOptions } from './options.ts'
import type { L1Prices, L1Receipt, L1Sender, L1Transaction } from './ports.ts'
import type { Submissions } from './submissions.ts'

export interface ChannelQueue {
  /** No more blocks should be taken: enough is waiting for L1. */
  readonly full: boolean
  /** Puts a block into the open channel, closing a full one first. */
  add(block: BatchBlock, l1Head: L1BlockRef): Promise<void>
  /** Closes the open channel when its time is up, or when asked to. */
  closeIfDue(l1Head: L1BlockRef, flush: boolean): Promise<void>
  /** Hands transactions to the sender as long as few enough are pending. How many. */
  send(signal: AbortSignal): number
  /** What L1 has still to take of the blocks added, settled transactions not counted; the open channel by the ratio of the last one. */
  readonly waitingBytes: number
  /** Bytes of a channel for each byte before compression. */
  readonly ratio: number
  /** Forgets the open channel and everything not sent. */
  clear(): void
}

export interface ChannelQueueDependencies {
  readonly sender: L1Sender
  readonly prices: L1Prices | null
  readonly compressor: Compressor
  readonly random: Random
  readonly submissions: Submissions
  readonly metrics: BatcherMetrics
  readonly log: Logger
}

interface Waiting {
  readonly transaction: L1Transaction
  readonly carrier: Carrier
  follow(receipt: Promise<L1Receipt>): void
}

const CHANNEL_ID_BYTES = 16
const BLOB_BYTES = 131_072
/** Left under the limit for what our estimate of batch sizes does not count. */
const RAW_MARGIN = 0.9

export function createChannelQueue(config: RollupConfig, options: BatcherOptions, deps: ChannelQueueDependencies): ChannelQueue {
  const { submissions, metrics, log } = deps
  const chain = { genesisTimestampSec: config.genesis.l2TimestampSec, blockTimeSec: config.blockTimeSec, chainId: config.l2ChainId }
  let builder: ChannelBuilder | null = null
  let outbox: Waiting[] = []
  let unsettledBytes = 0
  let ratio = 1

  function formatFor(block: BatchBlock, l1Head: L1BlockRef): ChannelFormat {
    const rules = config.forks.inclusionRules(inclusionTime(l1Head))
    const spans = options.batchType === 'span' && config.forks.originRules(block.originTime).spanBatches
    const carrier = rules.blobs && options.dataAvailability !== 'calldata' ? 'blobs' : 'calldata'
    return {
      batches: spans ? 'span' : 'singular',
      algorithm: rules.brotliChannels ? options.compression : 'zlib',
      targetBytes: options.targetFramesPerChannel * (maxFrameBytes(carrier, options) - FRAME_OVERHEAD_BYTES),
      maxRawBytes: Math.floor(rules.maxRlpBytesPerChannel * RAW_MARGIN),
      maxBlocksPerSpanBatch: options.maxBlocksPerSpanBatch,
    }
  }

  async function close(reason: CloseReason, l1Head: L1BlockRef): Promise<void> {
    const closing = builder
    const last = closing?.blocks[closing.blocks.length - 1]
    if (closing === null || last === undefined) return
    const channel = closing.encode()
    const blobsAllowed = config.forks.inclusionRules(inclusionTime(l1Head)).blobs
    const carrier = await chooseCarrier(options, blobsAllowed, channel.length, deps.prices)
    const channelId = bytesToHex(deps.random.bytes(CHANNEL_ID_BYTES))
    const transactions = toTransactions(channelId, channel, carrier, options, config.batchInbox)
    builder = null
    const follow = submissions.open(channelId, last.ref, transactions.length)
    outbox.push(...transactions.map((transaction) => ({ transaction, carrier, follow })))
    ratio = Math.min(1, channel.length / closing.rawBytes)
    metrics.channelClosed(reason, closing.blocks.length, closing.rawBytes, channel.length)
    log.info('channel closed', {
      channel: channelId,
      reason,
      from: closing.blocks[0]?.ref.number,
      to: last.ref.number,
      bytes: channel.length,
      transactions: transactions.length,
      carrier,
    })
  }

  function dueReason(open: ChannelBuilder, l1Head: L1BlockRef, flush: boolean): CloseReason | null {
    const oldestEpoch = open.blocks[0]?.ref.l1Origin.number ?? l1Head.number
    if (flush) return 'flush'
    if (l1Head.number >= oldestEpoch + config.sequencingWindowL1Blocks - options.safetyMarginL1Blocks) return 'window'
    return l1Head.number - open.openedAtL1 >= options.maxChannelDurationL1Blocks ? 'duration' : null
  }

  return {
    get full() {
      return outbox.length + submissions.pendingCount >= options.maxPendingTransactions
    },
    async add(block, l1Head) {
      builder ??= createChannelBuilder(formatFor(block, l1Head), l1Head.number, chain, deps.compressor)
      if (builder.add(block)) return
      await close('full', l1Head)
      builder = createChannelBuilder(formatFor(block, l1Head), l1Head.number, chain, deps.compressor)
      builder.add(block)
    },
    async closeIfDue(l1Head, flush) {
      const reason = builder === null ? null : dueReason(builder, l1Head, flush)
      if (reason !== null) await close(reason, l1Head)
    },
    send(signal) {
      let sent = 0
      for (; outbox.length > 0 && submissions.pendingCount < options.maxPendingTransactions; sent++) {
        const { transaction, carrier, follow } = outbox.shift() as Waiting
        const bytes = sizeOf(transaction)
        const receipt = deps.sender.send(transaction, signal)
        follow(receipt)
        unsettledBytes += bytes
        const settled = () => {
          unsettledBytes -= bytes
        }
        receipt.then(settled, settled)
        metrics.transactionSent(carrier, bytes)
      }
      return sent
    },
    get waitingBytes() {
      const open = (builder?.rawBytes ?? 0) * ratio
      return Math.ceil(outbox.reduce((sum, { transaction }) => sum + sizeOf(transaction), unsettledBytes + open))
    },
    get ratio() {
      return ratio
    },
    clear() {
      builder = null
      outbox = []
    },
  }
}

function sizeOf({ data, blobs }: L1Transaction): number {
  return blobs === undefined ? data.length : blobs.length * BLOB_BYTES
}
