/**
 * When better-paying transactions arrive, a full block is rebuilt. specs: protocol/exec-engine.md#extended-payloadattributesv2
 */
import { estimatedDaBytes, type OpenBlock, openBlock, type TxResult } from '@keelson/evm'
import type { Bytes20, Hash, Transaction } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'
import type { LRUCache } from 'lru-cache'
import { type ExecutionContext, openOptions } from '../import/execution-context.ts'
import type { BuilderOptions } from '../options.ts'
import type { PooledTransaction } from '../txpool/pool-types.ts'
import { tipWei } from '../txpool/selection.ts'
import type { TxPool } from '../txpool/tx-pool.ts'
import { blockSkeleton } from './block-skeleton.ts'
import { ConditionChecker, type ConditionVerdict } from './check-conditions.ts'
import { createFillDeadline, type FillDeadline } from './fill-deadline.ts'
import type { PayloadRequest, SealedPayload } from './payload-request.ts'
import { sealBlock } from './seal-block.ts'

export interface PayloadShop {
  readonly context: ExecutionContext
  readonly pool: TxPool
  readonly options: BuilderOptions
  readonly givenUp: LRUCache<Hash, number>
}

interface Draft {
  readonly open: OpenBlock
  readonly deadline: FillDeadline
  readonly transactions: Transaction[]
  readonly senders: Bytes20[]
  readonly included: Set<Hash>
  readonly refused: Set<Hash>
  daBytes: bigint
  full: boolean
  lowestTipWei: bigint | null
  readonly beganMs: number
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
  #draft!: Draft
  #filling: Promise<void> | null = null
  #again = false
  #waiting = false
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
  }

  /** Returns the reason in `invalid` if one of the given transactions is invalid. */
  static async begin(request: PayloadRequest, shop: PayloadShop): Promise<PayloadJob | { readonly invalid: string }> {
    const job = new PayloadJob(request, shop)
    const draft = await job.#open()
    if ('invalid' in draft) return draft
    job.#draft = draft
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
    this.#stopped = true
    const { transactions, senders, open } = this.#draft
    const result = open.finish()
    return sealBlock(this.#context, this.request, {
      result,
      transactions,
      senders,
      elapsedMs: this.#spentMs + this.#context.clock.monotonicMs() - beganMs,
    })
  }

  #open(): Promise<Draft | { readonly invalid: string }> {
    const deadline = createFillDeadline(this.#context.clock, this.#options.maxTransactionMs, () => this.#mustEnd())
    return openDraft(this.request, this.#context, deadline)
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
      if (this.#mustEnd()) return
      if (this.#refillWaitMs() === 0) await this.#startOver()
      await this.#fillOnce()
      this.#spentMs += this.#context.clock.monotonicMs() - this.#beganMs
    } while (this.#again)
    const waitMs = this.#refillWaitMs()
    if (waitMs !== null) this.#fillIn(waitMs)
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

  async #startOver(): Promise<void> {
    const draft = await this.#open()
    if (!('invalid' in draft)) this.#draft = draft
  }

  async #fillOnce(): Promise<void> {
    const draft = this.#draft
    const { clock } = this.#context
    const selection = this.#pool.best(this.#baseFeeWei)
    let turnAtMs = clock.monotonicMs() + TURN_AFTER_MS
    for (let pooled = selection.peek(); pooled !== null; pooled = selection.peek()) {
      if (this.#mustEnd()) return
      if (draft.included.has(pooled.hash)) {
        selection.taken()
        continue
      }
      if (draft.open.gasLeft < LEAST_GAS) {
        draft.full = true
        return
      }
      const noSpace = this.#lacksDaSpace(draft, pooled)
      if (noSpace !== null || pooled.tx.gasLimit > draft.open.gasLeft) {
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
      const result = await this.#apply(draft, pooled)
      if (result === 'failed') return
      if (result === 'interrupted') {
        selection.skipSender()
      } else if (result.kind === 'included') {
        this.#took(draft, pooled)
        selection.taken()
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

  #noRoom(draft: Draft, pooled: PooledTransaction): void {
    draft.full = true
    if (draft.lowestTipWei === null || tipWei(pooled, this.#baseFeeWei) <= draft.lowestTipWei) draft.refused.add(pooled.hash)
  }

  #conditions({ open, transactions }: Draft, { conditional }: PooledTransaction): ConditionVerdict {
    if (conditional === undefined) return 'holds'
    return this.#conditionChecker.check(conditional, { open, transactions: transactions.length })
  }

  /** If the executor fails, the draft is rebuilt without the transaction. */
  async #apply(draft: Draft, pooled: PooledTransaction): Promise<TxResult | 'interrupted' | 'failed'> {
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
      await this.#startOver()
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

  #took(draft: Draft, pooled: PooledTransaction): void {
    if (this.request.daLimits.maxBlockBytes !== null) draft.daBytes += estimatedDaBytes(pooled.tx.raw)
    draft.transactions.push(pooled.tx)
    draft.senders.push(pooled.senderBytes)
    draft.included.add(pooled.hash)
    const tip = tipWei(pooled, this.#baseFeeWei)
    if (draft.lowestTipWei === null || tip < draft.lowestTipWei) draft.lowestTipWei = tip
  }
}

/** Rejections that may not apply in a later block. */
const MAY_FIT_LATER: ReadonlySet<string> = new Set(['nonce-too-high', 'insufficient-funds', 'fee-cap-below-base-fee'])

async function openDraft(
  request: PayloadRequest,
  context: ExecutionContext,
  deadline: FillDeadline,
): Promise<Draft | { readonly invalid: string }> {
  const { parent, view, rules, attributes } = request
  const header = blockSkeleton(parent, attributes, rules)
  const open = openBlock({
    ...openOptions(context, parent, view),
    header,
    rules,
    transition: context.rules.transitionAt(parent.header, header),
    withdrawals: attributes.withdrawals,
    session: { tracer: { stop: () => deadline.stop() } },
  })
  open.applySystemCalls()
  const draft: Draft = {
    open,
    deadline,
    transactions: [],
    senders: [],
    included: new Set(),
    refused: new Set(),
    daBytes: 0n,
    full: false,
    lowestTipWei: null,
    beganMs: context.clock.monotonicMs(),
  }
  for (const [i, { tx, sender }] of request.given.entries()) {
    const result = open.applyTransaction(tx, sender)
    if (result.kind === 'rejected')
      return { invalid: `transaction ${i} [${tx.hash}] cannot be included: ${result.reason}: ${result.message}` }
    draft.transactions.push(tx)
    draft.senders.push(sender)
    draft.included.add(tx.hash)
  }
  return draft
}
