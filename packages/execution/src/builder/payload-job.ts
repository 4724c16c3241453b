/**
 * Builds one payload.
 *
 * `begin` opens a draft with the given transactions. `fill` adds transactions of the pool, best tip first, in rounds that give way to
 * other work; a new transaction in the pool starts the next round. A full draft is opened again when better-paying transactions wait,
 * at most every `refillIntervalMs`. `seal` waits a little for the round that runs, and ends the job: all later calls return the same
 * block. A job with a subblock stream never drops a transaction that it has included, because others may have seen it; so its draft is
 * not opened again for better tips, and its gas is released over the time of the block instead (subblock-stream.ts).
 * specs: protocol/exec-engine.md#extended-payloadattributesv2
 */
import { encodeExtraData, estimatedDaBytes, type TxResult } from '@keelson/evm'
import type { Hash } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'
import type { LRUCache } from 'lru-cache'
import type { ExecutionContext } from '../import/execution-context.ts'
import type { BuilderOptions } from '../options.ts'
import type { BuildProgress } from '../subblocks/pending-block.ts'
import { SUBBLOCK_INTERVAL_MS, type SubblockStream } from '../subblocks/subblock-stream.ts'
import type { PooledTransaction } from '../txpool/pool-types.ts'
import { tipWei } from '../txpool/selection.ts'
import type { TxPool } from '../txpool/tx-pool.ts'
import { ConditionChecker, type ConditionVerdict } from './check-conditions.ts'
import { type Draft, includePooled, openDraft, repeatDraft } from './draft.ts'
import { createFillDeadline } from './fill-deadline.ts'
import type { PayloadRequest, SealedPayload } from './payload-request.ts'
import { sealBlock } from './seal-block.ts'

export interface PayloadShop {
  readonly context: ExecutionContext
  readonly pool: TxPool
  readonly options: BuilderOptions
  readonly givenUp: LRUCache<Hash, number>
  /** Null if the build is not streamed. */
  openStream(request: PayloadRequest): SubblockStream | null
}

const LEAST_GAS = 21_000n
const TURN_AFTER_MS = 10
/** An abandoned transaction that used the first share of the fill budget is recorded; one that used the second is dropped. */
const NOTED_SHARE = 0.25
const LARGEST_SHARE = 0.5
const MAX_TIMES_GIVEN_UP = 2

export class PayloadJob {
  readonly request: PayloadRequest
  readonly #context: ExecutionContext
  readonly #pool: TxPool
  readonly #options: BuilderOptions
  readonly #givenUp: LRUCache<Hash, number>
  readonly #conditionChecker: ConditionChecker
  readonly #stream: SubblockStream | null
  #draft!: Draft
  #filling: Promise<void> | null = null
  #again = false
  #waiting = false
  /** True if a transaction waits for gas that is not released yet. */
  #heldBack = false
  #beganMs = 0
  #stopped = false
  #spentMs = 0
  #deadlineMs = Number.POSITIVE_INFINITY
  #sealed: Promise<SealedPayload> | null = null

  private constructor(request: PayloadRequest, shop: PayloadShop) {
    this.request = request
    this.#context = shop.context
    this.#pool = shop.pool
    this.#options = shop.options
    this.#givenUp = shop.givenUp
    const { parent, attributes, view } = request
    const block = { number: parent.header.number + 1, timestampSec: attributes.timestampSec, parent: view }
    this.#conditionChecker = new ConditionChecker(block)
    this.#stream = attributes.noTxPool ? null : shop.openStream(request)
  }

  /** Returns the reason in `invalid` if one of the given transactions is invalid. */
  static async begin(request: PayloadRequest, shop: PayloadShop): Promise<PayloadJob | { readonly invalid: string }> {
    const job = new PayloadJob(request, shop)
    const draft = job.#open()
    if ('invalid' in draft) return draft
    job.#draft = draft
    job.#stream?.publish(job.#progress())
    return job
  }

  get parentHash(): Hash {
    return this.request.parent.hash
  }

  fill(): void {
    if (this.request.attributes.noTxPool || this.#stopped) return
    if (this.#filling !== null) {
      this.#again = true
      return
    }
    this.#filling = this.#fillRounds().finally(() => {
      this.#filling = null
    })
    this.#filling.catch(() => undefined)
  }

  offer(pooled: PooledTransaction): void {
    const { full, lowestTipWei } = this.#draft
    const better = lowestTipWei !== null && tipWei(pooled, this.#baseFeeWei) > lowestTipWei
    if (!full || better) this.fill()
  }

  stop(): void {
    this.#stopped = true
    this.#stream?.end()
  }

  seal(): Promise<SealedPayload> {
    this.#sealed ??= this.#seal()
    return this.#sealed
  }

  get #baseFeeWei(): bigint {
    return this.#draft.open.session.env.baseFeeWei
  }

  async #seal(): Promise<SealedPayload> {
    const beganMs = this.#context.clock.monotonicMs()
    if (this.#filling !== null) {
      this.#deadlineMs = beganMs + this.#options.sealGraceMs
      await this.#filling
    }
    this.#stream?.publish(this.#progress())
    this.stop()
    const { transactions, senders, open } = this.#draft
    const result = open.finish()
    return sealBlock(this.#context, this.request, {
      result,
      transactions,
      senders,
      elapsedMs: this.#spentMs + this.#context.clock.monotonicMs() - beganMs,
    })
  }

  #open(): Draft | { readonly invalid: string } {
    const deadline = createFillDeadline(this.#context.clock, this.#options.maxTransactionMs, () => this.#mustEnd())
    return openDraft(this.request, this.#context, deadline)
  }

  #progress(): BuildProgress {
    const { attributes, rules, extraData } = this.request
    return {
      ...this.#draft,
      extraData: extraData ?? encodeExtraData(rules, attributes.eip1559Params, attributes.minBaseFeeWei),
      withdrawals: attributes.withdrawals,
    }
  }

  #mustEnd(): boolean {
    return this.#stopped || this.#outOfTime()
  }

  #outOfTime(): boolean {
    const nowMs = this.#context.clock.monotonicMs()
    return nowMs >= this.#deadlineMs || this.#spentMs + nowMs - this.#beganMs >= this.#options.fillBudgetMs
  }

  async #fillRounds(): Promise<void> {
    await nextTurn()
    do {
      this.#again = false
      this.#beganMs = this.#context.clock.monotonicMs()
      if (this.#mustEnd()) break
      if (this.#refillWaitMs() === 0) this.#startOver()
      await this.#fillOnce()
      this.#spentMs += this.#context.clock.monotonicMs() - this.#beganMs
    } while (this.#again)
    if (this.#stream?.isDue === true) this.#stream.publish(this.#progress())
    const waitMs = this.#stream !== null ? this.#streamWaitMs() : this.#mustEnd() ? null : this.#refillWaitMs()
    if (waitMs !== null) this.#fillIn(waitMs)
  }

  /** A streamed block is filled again when more of its gas is released, or when a subblock is due. */
  #streamWaitMs(): number | null {
    if (this.#stream === null || this.#stopped) return null
    const { waitMs, heldGas } = this.#stream
    if (this.#stream.hasNews(this.#draft.transactions.length)) return waitMs
    return this.#heldBack && heldGas > 0n ? SUBBLOCK_INTERVAL_MS : null
  }

  #fillIn(ms: number): void {
    if (this.#waiting) return
    this.#waiting = true
    const fill = () => {
      this.#waiting = false
      this.fill()
    }
    this.#context.clock.sleep(ms).then(fill, fill)
  }

  #refillWaitMs(): number | null {
    // What is published is not taken back.
    if (this.#stream !== null) return null
    const { full, lowestTipWei, beganMs, included, refused } = this.#draft
    if (!full || lowestTipWei === null) return null
    const selection = this.#pool.best(this.#baseFeeWei)
    for (let best = selection.peek(); best !== null; best = selection.peek()) {
      if (refused.has(best.hash)) selection.skipSender()
      else if (included.has(best.hash)) selection.taken()
      else if (tipWei(best, this.#baseFeeWei) <= lowestTipWei) return null
      else return Math.max(0, beganMs + this.#options.refillIntervalMs - this.#context.clock.monotonicMs())
    }
    return null
  }

  #startOver(): void {
    const draft = this.#open()
    if ('invalid' in draft) return
    if (this.#stream === null) this.#draft = draft
    else this.#draft = repeatDraft(this.#draft, draft) ?? draft
  }

  async #fillOnce(): Promise<void> {
    const draft = this.#draft
    const { clock } = this.#context
    const selection = this.#pool.best(this.#baseFeeWei)
    let turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
    this.#heldBack = false
    for (let pooled = selection.peek(); pooled !== null; pooled = selection.peek()) {
      if (this.#mustEnd()) return
      if (draft.included.has(pooled.hash)) {
        selection.taken()
        continue
      }
      const { gasLeft } = draft.open
      if (gasLeft < LEAST_GAS) {
        draft.full = true
        return
      }
      const released = this.#releasedGas(draft)
      if (released !== null && pooled.tx.gasLimit > released && pooled.tx.gasLimit <= gasLeft) {
        this.#heldBack = true
        if (released < LEAST_GAS) return
        selection.skipSender()
        continue
      }
      const noSpace = this.#lacksDaSpace(draft, pooled)
      if (noSpace !== null || pooled.tx.gasLimit > gasLeft) {
        if (noSpace === 'too-large') draft.refused.add(pooled.hash)
        else this.#noRoom(draft, pooled)
        selection.skipSender()
        continue
      }
      const conditions = this.#conditions(draft, pooled)
      if (conditions !== 'holds') {
        if (conditions === 'failed') this.#pool.drop(pooled.hash, 'condition')
        selection.skipSender()
        continue
      }
      const result = this.#apply(draft, pooled)
      if (result === 'failed') return
      if (result === 'interrupted') {
        selection.skipSender()
      } else if (result.kind === 'included') {
        if (this.request.daLimits.maxBlockBytes !== null) draft.daBytes += estimatedDaBytes(pooled.tx.raw)
        includePooled(draft, pooled, result)
        selection.taken()
        if (this.#stream?.waitMs === 0) this.#stream.publish(this.#progress())
      } else if (result.reason === 'nonce-too-low') {
        selection.taken()
      } else {
        if (result.reason === 'block-gas-limit' || result.reason === 'da-footprint-limit') this.#noRoom(draft, pooled)
        else if (!MAY_FIT_LATER.has(result.reason)) this.#pool.drop(pooled.hash)
        selection.skipSender()
      }
      if (clock.monotonicMs() < turnAtMs) continue
      await nextTurn()
      turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
    }
  }

  /** Gas of a streamed block that may be used by now; the footprint of its data counts like gas. Null: all of it. */
  #releasedGas({ open }: Draft): bigint | null {
    const held = this.#stream?.heldGas ?? 0n
    if (held === 0n) return null
    const used = open.rules.daFootprint && open.blobGasUsed > open.gasUsed ? open.blobGasUsed : open.gasUsed
    return this.request.attributes.gasLimit - held - used
  }

  #noRoom(draft: Draft, pooled: PooledTransaction): void {
    draft.full = true
    if (draft.lowestTipWei === null || tipWei(pooled, this.#baseFeeWei) <= draft.lowestTipWei) draft.refused.add(pooled.hash)
  }

  #conditions({ open, transactions }: Draft, { conditional }: PooledTransaction): ConditionVerdict {
    if (conditional === undefined) return 'holds'
    return this.#conditionChecker.check(conditional, { open, transactions: transactions.length })
  }

  /** If the executor fails, the draft is rebuilt without the transaction. */
  #apply(draft: Draft, pooled: PooledTransaction): TxResult | 'interrupted' | 'failed' {
    const { clock } = this.#context
    const beganMs = clock.monotonicMs()
    try {
      const result = draft.deadline.run(() => draft.open.applyTransaction(pooled.tx, pooled.senderBytes))
      if (result !== null) return result
      this.#gaveUp(draft, pooled, clock.monotonicMs() - beganMs)
      return 'interrupted'
    } catch (error) {
      this.#context.log.error('dropped a transaction that made the executor fail', { hash: pooled.hash, error })
      this.#pool.drop(pooled.hash)
      this.#startOver()
      this.#again = true
      return 'failed'
    }
  }

  #gaveUp(draft: Draft, { hash }: PooledTransaction, ranMs: number): void {
    draft.open.abandonTransaction()
    const share = ranMs / this.#options.fillBudgetMs
    if (share < NOTED_SHARE) return
    const times = (this.#givenUp.get(hash) ?? 0) + 1
    this.#givenUp.set(hash, times)
    if (share < LARGEST_SHARE && times < MAX_TIMES_GIVEN_UP) return
    this.#pool.drop(hash)
    this.#context.log.warn('dropped a transaction that takes too much of the fill budget of a block', {
      hash,
      ranMs: Math.round(ranMs),
      budgetMs: this.#options.fillBudgetMs,
    })
  }

  #lacksDaSpace(draft: Draft, { tx }: PooledTransaction): 'too-large' | 'block-full' | null {
    const { maxTransactionBytes, maxBlockBytes } = this.request.daLimits
    if (maxTransactionBytes === null && maxBlockBytes === null) return null
    const bytes = estimatedDaBytes(tx.raw)
    if (maxTransactionBytes !== null && bytes > maxTransactionBytes) return 'too-large'
    return maxBlockBytes !== null && draft.daBytes + bytes > maxBlockBytes ? 'block-full' : null
  }
}

/** Rejections that may not apply in a later block. */
const MAY_FIT_LATER: ReadonlySet<string> = new Set(['nonce-too-high', 'insufficient-funds', 'fee-cap-below-base-fee'])
