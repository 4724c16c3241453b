/**
 * State machine of closed channels. Each L1 transaction of a channel is first waiting, then sent, pending, and settled. The next
 * one is sent only after L1 accepted the previous one. A channel is complete when all its transactions are settled, and is
 * forgotten when its blocks are safe.
 */
import type { ChannelId } from '@keelson/derivation/codec'
import { type L2BlockRef, messageOf } from '@keelson/primitives'
import type { Carrier } from './carrier.ts'
import type { CarrierChoice } from './carrier-choice.ts'
import type { BatcherMetrics } from './metrics.ts'
import type { L1Receipt, L1Sender, L1Transaction } from './ports.ts'

export interface ClosedChannel {
  readonly channelId: ChannelId
  readonly last: L2BlockRef
  readonly carrier: Carrier
  readonly transactions: readonly L1Transaction[]
}

export interface Submission {
  readonly channelId: ChannelId
  readonly last: L2BlockRef
  readonly completedAt: number | null
}

export interface SubmissionsDependencies {
  readonly sender: L1Sender
  readonly maxPending: number
  readonly choice: Pick<CarrierChoice, 'refused'>
  readonly metrics: Pick<BatcherMetrics, 'transactionSent'>
}

interface Channel extends Submission {
  unsettled: number
  completedAt: number | null
}

interface QueuedTransaction {
  readonly transaction: L1Transaction
  readonly carrier: Carrier
  readonly bytes: number
  readonly channel: Channel
}

interface PendingTransaction {
  readonly bytes: number
  readonly channel: Channel | null
}

const BLOB_BYTES = 131_072
/** L1 blocks that the node which takes transactions may be ahead of the consensus client's. */
export const MOST_BLOCKS_AHEAD = 64

export class Submissions {
  readonly #deps: SubmissionsDependencies
  #channels: Channel[] = []
  #waiting: QueuedTransaction[] = []
  #sending: QueuedTransaction | null = null
  readonly #pending = new Set<PendingTransaction>()
  #lastCarrier: Carrier | null = null
  #sendError: string | null = null
  #failure: string | null = null
  #highestInclusion = 0
  #lastInclusion: number | null = null

  constructor(deps: SubmissionsDependencies) {
    this.#deps = deps
  }

  get channels(): readonly Submission[] {
    return this.#channels
  }

  get waiting(): readonly { readonly label: string; readonly carrier: Carrier }[] {
    return this.#waiting.map(({ transaction, carrier }) => ({ label: transaction.label ?? '', carrier }))
  }

  get sending(): boolean {
    return this.#sending !== null
  }

  /** Error of the last attempt to send, or null. */
  get sendError(): string | null {
    return this.#sendError
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  get full(): boolean {
    return this.#waiting.length + this.#pending.size >= this.#deps.maxPending
  }

  get unsettledBytes(): number {
    return [...this.#waiting, ...this.#pending].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** 0 before the first inclusion. */
  get highestInclusion(): number {
    return this.#highestInclusion
  }

  get lastInclusion(): number | null {
    return this.#lastInclusion
  }

  add({ channelId, last, carrier, transactions }: ClosedChannel): void {
    const channel: Channel = { channelId, last, unsettled: transactions.length, completedAt: null }
    this.#channels.push(channel)
    for (const transaction of transactions) this.#waiting.push({ transaction, carrier, bytes: sizeOf(transaction), channel })
  }

  /** Sends waiting transactions one at a time, each when the previous one is accepted; stops at a failure. */
  send(signal: AbortSignal): void {
    const [next] = this.#waiting
    if (next === undefined || signal.aborted || !this.#maySend(next)) return
    this.#sending = next
    let placed = false
    let receipt: Promise<L1Receipt> | null = null
    const onPlaced = () => {
      placed = true
      if (receipt !== null) this.#accepted(next, receipt, signal)
    }
    receipt = this.#deps.sender.send({ ...next.transaction, onPlaced }, signal)
    receipt.catch((error: unknown) => {
      if (!placed) this.#rejected(next, error)
    })
    if (placed) this.#accepted(next, receipt, signal)
  }

  watch(receipt: Promise<L1Receipt>): void {
    this.#track({ bytes: 0, channel: null }, receipt)
  }

  /** Reason why a sent transaction has no effect, or null. Clears it. */
  takeFailure(): string | null {
    const taken = this.#failure
    this.#failure = null
    return taken
  }

  /**
   * Takes an inclusion far beyond L1's head for one in reach, else a node that names a block which L1 does not reach would hide that the
   * channel is lost. Returns the block that was claimed, or null.
   */
  limitInclusion(headL1: number): number | null {
    const most = headL1 + MOST_BLOCKS_AHEAD
    const claimed = this.#highestInclusion
    if (claimed <= most) return null
    this.#highestInclusion = most
    for (const channel of this.#channels) if (channel.completedAt !== null) channel.completedAt = Math.min(channel.completedAt, most)
    return claimed
  }

  prune(safeNumber: number): void {
    this.#channels = this.#channels.filter(({ last }) => last.number > safeNumber)
  }

  /** Returns a channel whose blocks are not safe although derivation has passed it on L1, or null. */
  findLost(currentL1: number, safeNumber: number): Submission | null {
    const lost = ({ completedAt, last }: Channel) => completedAt !== null && completedAt < currentL1 && last.number > safeNumber
    return this.#channels.find(lost) ?? null
  }

  dropWaiting(): void {
    this.#waiting = []
    this.#sendError = null
  }

  reset(): void {
    this.dropWaiting()
    this.#channels = []
  }

  #maySend({ carrier }: QueuedTransaction): boolean {
    if (this.#sending !== null || this.#pending.size >= this.#deps.maxPending) return false
    // Pools reject blobs from an account with other pending transactions, and vice versa.
    return this.#lastCarrier === null || this.#lastCarrier === carrier || this.#pending.size === 0
  }

  #accepted(item: QueuedTransaction, receipt: Promise<L1Receipt>, signal: AbortSignal): void {
    this.#sending = null
    this.#sendError = null
    this.#lastCarrier = item.carrier
    if (this.#waiting[0] === item) this.#waiting.shift()
    this.#track(item, receipt)
    this.#deps.metrics.transactionSent(item.carrier, item.bytes)
    this.send(signal)
  }

  #rejected({ carrier }: QueuedTransaction, error: unknown): void {
    this.#sending = null
    this.#sendError = messageOf(error)
    if (this.#deps.choice.refused(carrier, error)) this.#failure = 'L1 rejects our blobs: unsent channels go into calldata'
  }

  #track(pending: PendingTransaction, receipt: Promise<L1Receipt>): void {
    this.#pending.add(pending)
    receipt.then(
      (settled) => {
        this.#pending.delete(pending)
        this.#settled(settled, pending.channel)
      },
      (error: unknown) => {
        this.#pending.delete(pending)
        this.#failure = messageOf(error)
      },
    )
  }

  #settled({ blockNumber, succeeded, transactionHash }: L1Receipt, channel: Channel | null): void {
    this.#highestInclusion = Math.max(this.#highestInclusion, blockNumber)
    this.#lastInclusion = blockNumber
    if (!succeeded) {
      this.#failure = `transaction ${transactionHash} reverted: the batch inbox must be an account without code`
    } else if (channel !== null) {
      channel.unsettled--
      if (channel.unsettled === 0) channel.completedAt = this.#highestInclusion
    }
  }
}

function sizeOf({ data, blobs }: L1Transaction): number {
  return blobs === undefined ? data.length : blobs.length * BLOB_BYTES
}
