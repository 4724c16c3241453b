/** Turns blocks into L1 transactions in strict order. */
import { type L1ChainConfig, type L1TransactionRules, l1TransactionRules, type RollupConfig } from '@keelson/chainspec'
import { FRAME_OVERHEAD_BYTES } from '@keelson/derivation/codec'
import { bytesToHex, inclusionTime, type L1BlockRef, type Logger, type Random } from '@keelson/primitives'
import type { BatchBlock } from './batch-block.ts'
import { blobsPerTransaction, type Carrier, limitsOn, maxFrameBytes, toTransactions } from './carrier.ts'
import { createCarrierChoice } from './carrier-choice.ts'
import { type ChannelBuilder, type ChannelFormat, type CloseReason, createChannelBuilder } from './channel-builder.ts'
import { type ChannelCompressor, compressionOf } from './compression.ts'
import type { BatcherMetrics } from './metrics.ts'
import type { BatcherOptions } from './options.ts'
import { createOutbox } from './outbox.ts'
import type { L1Prices, L1Sender } from './ports.ts'
import type { Submissions } from './submissions.ts'

export interface ChannelQueue {
  /** The caller should add no more blocks. */
  readonly full: boolean
  readonly placing: boolean
  /** Reason why transactions are not sent, or null. */
  readonly held: string | null
  add(block: BatchBlock, l1Head: L1BlockRef): Promise<void>
  closeIfDue(l1Head: L1BlockRef, flush: boolean): Promise<void>
  /** Returns the number of transactions sent. */
  send(signal: AbortSignal): number
  /** Bytes of added blocks not settled on L1. */
  readonly waitingBytes: number
  /** Compressed bytes per input byte. */
  readonly ratio: number
  state(): ChannelQueueState
  /** Drops everything that was not sent. */
  clear(): void
}

export interface ChannelQueueState {
  readonly openChannel: null | {
    readonly fromBlock: number
    readonly toBlock: number
    readonly inputBytes: number
    readonly estimatedBytes: number
    readonly targetBytes: number
    readonly openedAtL1Block: number
  }
  readonly waitingTransactions: readonly { readonly label: string; readonly carrier: Carrier }[]
}

export interface ChannelQueueDependencies {
  readonly sender: L1Sender
  readonly prices: L1Prices | null
  /** Null: rules of Ethereum since Prague. */
  readonly l1Chain: L1ChainConfig | null
  readonly compressor: ChannelCompressor
  readonly random: Random
  readonly submissions: Submissions
  readonly metrics: BatcherMetrics
  readonly log: Logger
}

const CHANNEL_ID_BYTES = 16
/** Margin for errors of the size estimate. */
const RAW_MARGIN = 0.9
/** Bounds memory and compression time for highly compressible blocks. */
const MAX_RAW_BYTES = 16_000_000
const TELLING_FULLNESS = 0.1
const DEFAULT_L1_RULES: L1TransactionRules = {
  maxBlobsPerTransaction: 6,
  cellProofs: false,
  transactionGas: 21_000n,
  zeroByteGas: 10n,
  nonZeroByteGas: 40n,
  maxTransactionGas: null,
}

export function createChannelQueue(config: RollupConfig, options: BatcherOptions, deps: ChannelQueueDependencies): ChannelQueue {
  const { submissions, metrics, log } = deps
  const chain = { genesisTimestampSec: config.genesis.l2TimestampSec, blockTimeSec: config.blockTimeSec, chainId: config.l2ChainId }
  const choice = createCarrierChoice(options, deps.prices, log)
  const outbox = createOutbox({
    sender: deps.sender,
    submissions,
    maxPending: options.maxPendingTransactions,
    sent: ({ carrier }, bytes) => metrics.transactionSent(carrier, bytes),
    refused({ carrier }, error) {
      if (choice.refused(carrier, error)) submissions.fail('L1 rejects our blobs: unsent channels go into calldata')
    },
  })
  let builder: ChannelBuilder | null = null
  let ratio = 1

  const rulesOf = (l1Head: L1BlockRef): L1TransactionRules =>
    deps.l1Chain === null ? DEFAULT_L1_RULES : l1TransactionRules(deps.l1Chain, l1Head.timestampSec)

  const blobsAllowed = (l1Head: L1BlockRef): boolean =>
    config.forks.inclusionRules(inclusionTime(l1Head)).blobs && rulesOf(l1Head).maxBlobsPerTransaction > 0

  const targetOf = (carrier: Carrier, rules: L1TransactionRules) =>
    options.targetFramesPerChannel * (maxFrameBytes(carrier, limitsOn(rules, options)) - FRAME_OVERHEAD_BYTES)

  /** The target grows to as many blobs as fit in one transaction. */
  function growthWithin(rules: L1TransactionRules): ChannelFormat['growth'] {
    const stepBytes = maxFrameBytes('blobs', options) - FRAME_OVERHEAD_BYTES
    return { stepBytes, maxBytes: stepBytes * blobsPerTransaction(rules, options) }
  }

  async function open(block: BatchBlock, l1Head: L1BlockRef): Promise<ChannelBuilder> {
    const rules = config.forks.inclusionRules(inclusionTime(l1Head))
    const spans = options.batchType === 'span' && config.forks.originRules(block.originTime).spanBatches
    const carrier = await choice.choose(targetOf('blobs', rulesOf(l1Head)), rulesOf(l1Head), blobsAllowed(l1Head))
    const targetBytes = targetOf(carrier, rulesOf(l1Head))
    const format: ChannelFormat = {
      batches: spans ? 'span' : 'singular',
      compression: compressionOf(options.compression, rules.brotliChannels),
      targetBytes,
      growth: carrier === 'blobs' ? growthWithin(rulesOf(l1Head)) : null,
      maxRawBytes: Math.min(Math.floor(rules.maxRlpBytesPerChannel * RAW_MARGIN), MAX_RAW_BYTES),
      maxBlocksPerSpanBatch: options.maxBlocksPerSpanBatch,
    }
    return createChannelBuilder(format, l1Head.number, chain, deps.compressor, ratio)
  }

  async function close(reason: CloseReason, l1Head: L1BlockRef): Promise<void> {
    const closing = builder
    if (closing === null) return
    const { channel, over } = await closing.finish()
    const last = closing.blocks[closing.blocks.length - 1] as BatchBlock
    const rules = rulesOf(l1Head)
    const carrier = await choice.choose(channel, rules, blobsAllowed(l1Head))
    const channelId = bytesToHex(deps.random.bytes(CHANNEL_ID_BYTES))
    const limits = limitsOn(rules, { ...options, maxFramesPerTransaction: Math.max(1, blobsPerTransaction(rules, options)) })
    const transactions = toTransactions(channelId, channel, carrier, limits, config.batchInbox)
    builder = null
    const follow = submissions.open(channelId, last.ref, transactions.length)
    outbox.push(transactions.map((transaction) => ({ transaction, carrier, follow })))
    // Nearly empty channels distort the ratio.
    if (channel.length > closing.targetBytes * TELLING_FULLNESS) ratio = Math.min(1, channel.length / closing.rawBytes)
    const frames = transactions.reduce((sum, { blobs }) => sum + (blobs?.length ?? 1), 0)
    const roomBytes = frames * (maxFrameBytes(carrier, limits) - FRAME_OVERHEAD_BYTES)
    metrics.channelClosed(reason, carrier, {
      blocks: closing.blocks.length,
      rawBytes: closing.rawBytes,
      bytes: channel.length,
      frames,
      roomBytes,
    })
    log.info('channel closed', {
      channel: channelId,
      reason,
      from: closing.blocks[0]?.ref.number,
      to: last.ref.number,
      bytes: channel.length,
      fullness: Number((channel.length / roomBytes).toFixed(3)),
      frames,
      transactions: transactions.length,
      carrier,
    })
    if (over.length === 0) return
    for (const block of over) await add(block, l1Head)
    if (reason !== 'full') await close(reason, l1Head)
  }

  function dueReason(open: ChannelBuilder, l1Head: L1BlockRef, flush: boolean): CloseReason | null {
    const oldestEpoch = open.blocks[0]?.ref.l1Origin.number ?? l1Head.number
    if (flush) return 'flush'
    if (l1Head.number >= oldestEpoch + config.sequencingWindowL1Blocks - options.safetyMarginL1Blocks) return 'window'
    const { maxChannelDurationL1Blocks } = options
    return maxChannelDurationL1Blocks > 0 && l1Head.number - open.openedAtL1 >= maxChannelDurationL1Blocks ? 'duration' : null
  }

  async function add(block: BatchBlock, l1Head: L1BlockRef): Promise<void> {
    builder ??= await open(block, l1Head)
    const over = await builder.add(block)
    if (over === null) return
    await close('full', l1Head)
    for (const next of over) await add(next, l1Head)
  }

  return {
    get full() {
      return outbox.items.length + submissions.pendingCount >= options.maxPendingTransactions
    },
    get placing() {
      return outbox.placing
    },
    get held() {
      return outbox.held
    },
    add,
    async closeIfDue(l1Head, flush) {
      const reason = builder === null ? null : dueReason(builder, l1Head, flush)
      if (reason !== null) await close(reason, l1Head)
    },
    send: (signal) => outbox.send(signal),
    get waitingBytes() {
      return Math.ceil(outbox.waitingBytes + (builder?.estimatedBytes ?? 0))
    },
    get ratio() {
      return ratio
    },
    state() {
      const open = builder
      const [first] = open?.blocks ?? []
      const last = open?.blocks[open.blocks.length - 1]
      return {
        openChannel:
          open === null || first === undefined || last === undefined
            ? null
            : {
                fromBlock: first.ref.number,
                toBlock: last.ref.number,
                inputBytes: open.rawBytes,
                estimatedBytes: open.estimatedBytes,
                targetBytes: open.targetBytes,
                openedAtL1Block: open.openedAtL1,
              },
        waitingTransactions: outbox.items.map(({ transaction, carrier }) => ({ label: transaction.label ?? '', carrier })),
      }
    },
    clear() {
      builder = null
      outbox.clear()
    },
  }
}
