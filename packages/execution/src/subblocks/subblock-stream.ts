/**
 * The sequencer's side: one stream per block that is built.
 *
 * The first subblock has the block's deposits and is published at once, the second as soon as the builder has gone through the pool.
 * Afterwards the builder asks `waitMs` after each transaction that it included, and publishes when the answer is 0: an idle stream
 * publishes a transaction immediately, a busy one every 200 ms. The last subblock is published before the block is sealed, so that the stream and the sealed block hold the same
 * transactions. What is published is never taken back within a block: the builder does not rebuild a block that has a stream.
 *
 * The block's gas is released over the time until its timestamp, so that a transaction that arrives late and pays more still finds
 * room. specs: protocol/subblocks.md#consumer-guarantees, #transaction-inclusion
 */
import { bytesToHex, type Clock, decodeStateDiff, type Hash, type StateDiff, ZERO_HASH } from '@keelson/primitives'
import type { PayloadRequest } from '../builder/payload-request.ts'
import { receiptToJson } from '../rpc/receipt-json.ts'
import { type BuildProgress, type ProvisionalBlock, provisionalBlock } from './pending-block.ts'
import { encodeSubblock, type SubblockBase } from './subblock.ts'

/** The connections that receive the subblocks of each block that this node builds. */
export interface SubblockListeners {
  readonly count: number
  publish(text: string): void
}

/** specs: protocol/subblocks.md#overview, "a target rather than a guarantee"; the live networks use the same. */
export const SUBBLOCK_INTERVAL_MS = 200
const GAS_SHARES = 1_000n

export class SubblockStream {
  readonly #request: PayloadRequest
  readonly #clock: Clock
  readonly #listeners: SubblockListeners
  readonly #beganMs: number
  readonly #windowMs: number
  readonly #balances = new Map<string, bigint>()
  #index = 0
  #published = 0
  #lastMs = Number.NEGATIVE_INFINITY
  #ended = false

  constructor(request: PayloadRequest, clock: Clock, listeners: SubblockListeners) {
    this.#request = request
    this.#clock = clock
    this.#listeners = listeners
    this.#beganMs = clock.monotonicMs()
    // The builder seals before the timestamp, so the last two intervals have all the gas.
    this.#windowMs = request.attributes.timestampSec * 1000 - clock.nowMs() - 2 * SUBBLOCK_INTERVAL_MS
  }

  /** Milliseconds until a subblock may follow the last one. */
  get waitMs(): number {
    return Math.max(0, this.#lastMs + SUBBLOCK_INTERVAL_MS - this.#clock.monotonicMs())
  }

  /** True if a subblock may be published once the builder has gone through the pool. */
  get isDue(): boolean {
    return this.#index === 1 || this.waitMs === 0
  }

  /** Gas that is not released yet. */
  get heldGas(): bigint {
    if (this.#ended || this.#windowMs <= SUBBLOCK_INTERVAL_MS) return 0n
    const elapsedMs = this.#clock.monotonicMs() - this.#beganMs + SUBBLOCK_INTERVAL_MS
    const held = Math.max(0, 1 - elapsedMs / this.#windowMs)
    return (this.#request.attributes.gasLimit * BigInt(Math.floor(held * Number(GAS_SHARES)))) / GAS_SHARES
  }

  hasNews(transactions: number): boolean {
    return !this.#ended && transactions > this.#published
  }

  /** Publishes the transactions since the last subblock, if there are any. The first subblock is always published. */
  publish(progress: BuildProgress): void {
    const { transactions } = progress
    if (this.#ended || (this.#index > 0 && !this.hasNews(transactions.length))) return
    if (this.#listeners.count > 0) this.#listeners.publish(this.#message(progress))
    this.#index++
    this.#published = transactions.length
    this.#lastMs = this.#clock.monotonicMs()
  }

  end(): void {
    this.#ended = true
  }

  #message(progress: BuildProgress): string {
    const { id } = this.#request
    const { open } = progress
    const { block, receipts } = provisionalBlock(progress)
    const { header } = block
    const added = block.transactions.slice(this.#published)
    const shown = added.map(({ hash }, i) => [hash, receiptToJson(block, receipts, this.#published + i, open.rules)] as const)
    return encodeSubblock(
      {
        payloadId: id,
        index: this.#index,
        base: this.#index === 0 ? baseOf(header) : null,
        blockNumber: header.number,
        transactions: added,
        gasUsed: header.gasUsed,
        receiptsRoot: header.receiptsRoot,
        logsBloom: header.logsBloom,
        blobGasUsed: header.blobGasUsed,
        postExec: null,
      },
      { balances: this.#changedBalances(open.session.takeDiff()), receipts: new Map<Hash, object>(shown) },
    )
  }

  /** Balances that changed since the last subblock of this block. */
  #changedBalances(diff: StateDiff): ReadonlyMap<string, bigint> {
    const changed = new Map<string, bigint>()
    for (const { address, deleted, balanceWei } of decodeStateDiff(diff).accounts) {
      const key = bytesToHex(address)
      const now = deleted ? 0n : balanceWei
      if (this.#balances.get(key) === now) continue
      this.#balances.set(key, now)
      changed.set(key, now)
    }
    return changed
  }
}

function baseOf(header: ProvisionalBlock['block']['header']): SubblockBase {
  return {
    parentHash: header.parentHash,
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
    feeRecipient: header.feeRecipient,
    prevRandao: header.mixHash,
    number: header.number,
    gasLimit: header.gasLimit,
    timestampSec: header.timestampSec,
    extraData: header.extraData,
    baseFeeWei: header.baseFeeWei ?? 0n,
  }
}
