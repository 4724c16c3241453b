/** Opens and closes channels: collects blocks in one open channel and adds each closed one to the submissions. */
import type { L1ChainConfig, RollupConfig } from '@keelson/chainspec'
import type { SpanBatchChain } from '@keelson/derivation/codec'
import { bytesToHex, type L1BlockRef, type Logger, type Random } from '@keelson/primitives'
import type { BatchBlock } from './batch-block.ts'
import { blobsPerTransaction, limitsOn, toTransactions } from './carrier.ts'
import type { CarrierChoice } from './carrier-choice.ts'
import { type ChannelBuilder, type CloseReason, createChannelBuilder } from './channel-builder.ts'
import { channelFormat, frameDataBytes, type PostingRules, postingRules, targetChannelBytes } from './channel-format.ts'
import type { ChannelCompressor } from './compression.ts'
import type { BatcherMetrics } from './metrics.ts'
import type { BatcherOptions } from './options.ts'
import type { ClosedChannel } from './submissions.ts'

export interface OpenChannelState {
  readonly fromBlock: number
  readonly toBlock: number
  readonly inputBytes: number
  readonly estimatedBytes: number
  readonly targetBytes: number
  readonly openedAtL1Block: number
}

export interface ChannelManagerDependencies {
  readonly config: RollupConfig
  readonly l1Chain: L1ChainConfig | null
  readonly choice: Pick<CarrierChoice, 'choose'>
  readonly submissions: { add(channel: ClosedChannel): void }
  readonly compressor: ChannelCompressor
  readonly random: Random
  readonly metrics: Pick<BatcherMetrics, 'channelClosed'>
  readonly log: Logger
}

const CHANNEL_ID_BYTES = 16
/** Emptier channels would distort the compression ratio. */
const MIN_FULLNESS_FOR_RATIO = 0.1

export class ChannelManager {
  readonly #options: BatcherOptions
  readonly #deps: ChannelManagerDependencies
  readonly #chain: SpanBatchChain
  #open: ChannelBuilder | null = null
  #ratio = 1

  constructor(options: BatcherOptions, deps: ChannelManagerDependencies) {
    const { genesis, blockTimeSec, l2ChainId } = deps.config
    this.#options = options
    this.#deps = deps
    this.#chain = { genesisTimestampSec: genesis.l2TimestampSec, blockTimeSec, chainId: l2ChainId }
  }

  get ratio(): number {
    return this.#ratio
  }

  get estimatedBytes(): number {
    return this.#open?.estimatedBytes ?? 0
  }

  get openChannel(): OpenChannelState | null {
    const open = this.#open
    const [first] = open?.blocks ?? []
    const last = open?.blocks.at(-1)
    if (open === null || first === undefined || last === undefined) return null
    return {
      fromBlock: first.ref.number,
      toBlock: last.ref.number,
      inputBytes: open.rawBytes,
      estimatedBytes: open.estimatedBytes,
      targetBytes: open.targetBytes,
      openedAtL1Block: open.openedAtL1,
    }
  }

  async add(block: BatchBlock, l1Head: L1BlockRef): Promise<void> {
    this.#open ??= await this.#openFor(block, l1Head)
    const over = await this.#open.add(block)
    if (over === null) return
    await this.#close('full', l1Head)
    for (const next of over) await this.add(next, l1Head)
  }

  async closeIfDue(l1Head: L1BlockRef, flush: boolean): Promise<void> {
    const reason = this.#open === null ? null : this.#dueReason(this.#open, l1Head, flush)
    if (reason !== null) await this.#close(reason, l1Head)
  }

  drop(): void {
    this.#open = null
  }

  #rulesAt(l1Head: L1BlockRef): PostingRules {
    return postingRules(this.#deps.config, this.#deps.l1Chain, l1Head)
  }

  async #openFor(block: BatchBlock, l1Head: L1BlockRef): Promise<ChannelBuilder> {
    const options = this.#options
    const { choice, config, compressor } = this.#deps
    const rules = this.#rulesAt(l1Head)
    const spanBatches = options.batchType === 'span' && config.forks.originRules(block.originTime).spanBatches
    const carrier = await choice.choose(targetChannelBytes('blobs', rules, options), rules.l1, rules.blobsAllowed)
    const format = channelFormat(carrier, spanBatches, rules, options)
    return createChannelBuilder(format, l1Head.number, this.#chain, compressor, this.#ratio)
  }

  async #close(reason: CloseReason, l1Head: L1BlockRef): Promise<void> {
    const closing = this.#open
    if (closing === null) return
    const { channel, over } = await closing.finish()
    const rules = this.#rulesAt(l1Head)
    const carrier = await this.#deps.choice.choose(channel, rules.l1, rules.blobsAllowed)
    this.#open = null
    this.#submit(closing, channel, carrier, rules, reason)
    if (over.length === 0) return
    for (const block of over) await this.add(block, l1Head)
    if (reason !== 'full') await this.#close(reason, l1Head)
  }

  #submit(
    closing: ChannelBuilder,
    channel: Uint8Array,
    carrier: ClosedChannel['carrier'],
    { l1 }: PostingRules,
    reason: CloseReason,
  ): void {
    const { config, random, submissions, metrics, log } = this.#deps
    const { blocks, rawBytes, targetBytes } = closing
    const last = (blocks.at(-1) as BatchBlock).ref
    const channelId = bytesToHex(random.bytes(CHANNEL_ID_BYTES))
    const limits = limitsOn(l1, { ...this.#options, maxFramesPerTransaction: Math.max(1, blobsPerTransaction(l1, this.#options)) })
    const transactions = toTransactions(channelId, channel, carrier, limits, config.batchInbox)
    submissions.add({ channelId, last, carrier, transactions })
    if (channel.length > targetBytes * MIN_FULLNESS_FOR_RATIO) this.#ratio = Math.min(1, channel.length / rawBytes)
    const frames = transactions.reduce((sum, { blobs }) => sum + (blobs?.length ?? 1), 0)
    const roomBytes = frames * frameDataBytes(carrier, limits)
    metrics.channelClosed(reason, carrier, { blocks: blocks.length, rawBytes, bytes: channel.length, frames, roomBytes })
    log.info('channel closed', {
      channel: channelId,
      reason,
      from: blocks[0]?.ref.number,
      to: last.number,
      bytes: channel.length,
      fullness: Number((channel.length / roomBytes).toFixed(3)),
      frames,
      transactions: transactions.length,
      carrier,
    })
  }

  #dueReason(open: ChannelBuilder, l1Head: L1BlockRef, flush: boolean): CloseReason | null {
    if (flush) return 'flush'
    const { maxChannelDurationL1Blocks, safetyMarginL1Blocks } = this.#options
    const oldestEpoch = open.blocks[0]?.ref.l1Origin.number ?? l1Head.number
    if (l1Head.number >= oldestEpoch + this.#deps.config.sequencingWindowL1Blocks - safetyMarginL1Blocks) return 'window'
    return maxChannelDurationL1Blocks > 0 && l1Head.number - open.openedAtL1 >= maxChannelDurationL1Blocks ? 'duration' : null
  }
}
