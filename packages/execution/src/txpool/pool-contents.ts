import { type Address, type Clock, type Hash, type Logger, toAddress } from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import { createEmitter, type Emitter } from '../emitter.ts'
import { AccountQueue } from './account-queue.ts'
import { reject } from './admission.ts'
import { createAuthorities } from './authorities.ts'
import { failedForGood, type TransactionConditional } from './conditional.ts'
import { planEviction, worstOf } from './eviction.ts'
import type { PoolJournal } from './journal.ts'
import type { PoolDrop, PoolDropReason, PooledTransaction, PoolHead, PoolRejected, TxPoolOptions } from './pool-types.ts'
import { tipWei } from './selection.ts'

const REFRESHED_PER_HEAD = 512
/** Number of included transactions whose conditions are kept for a reorg. */
const REMEMBERED_CONDITIONALS = 1_024
const NOTHING: ReadonlySet<Hash> = new Set()

export interface PoolContentsDependencies {
  readonly clock: Clock
  readonly log: Logger
  readonly journal: Pick<PoolJournal, 'remove'>
}

export class PoolContents {
  readonly executable: Emitter<PooledTransaction>
  readonly dropped: Emitter<PoolDrop>
  readonly #options: TxPoolOptions
  readonly #journal: Pick<PoolJournal, 'remove'>
  readonly #nowMs: () => number
  readonly #byHash = new Map<Hash, PooledTransaction>()
  readonly #accounts = new Map<Address, AccountQueue>()
  readonly #authorities = createAuthorities()
  readonly #conditionals = new LRUCache<Hash, TransactionConditional>({ max: REMEMBERED_CONDITIONALS })
  #bytes = 0
  #order = 0
  #refreshFrom = 0
  /** Lowest tip in a full pool, null when unknown. Allows a quick rejection of spam. */
  #floorTip: bigint | null = null

  constructor(options: TxPoolOptions, { clock, journal, log }: PoolContentsDependencies) {
    this.#options = options
    this.#journal = journal
    this.#nowMs = () => clock.nowMs()
    this.executable = createEmitter(log)
    this.dropped = createEmitter(log)
  }

  get size(): number {
    return this.#byHash.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get accounts(): ReadonlyMap<Address, AccountQueue> {
    return this.#accounts
  }

  takeOrder(): number {
    return this.#order++
  }

  find(hash: Hash): PooledTransaction | undefined {
    return this.#byHash.get(hash)
  }

  isAuthority(address: Address): boolean {
    return this.#authorities.has(address)
  }

  accountOf(senderBytes: Uint8Array, head: PoolHead): AccountQueue {
    const sender = toAddress(senderBytes)
    const known = this.#accounts.get(sender)
    if (known !== undefined && known.head !== head) this.refresh(known, head)
    return this.#accounts.get(sender) ?? new AccountQueue(sender, senderBytes, head, this.#nowMs)
  }

  insert(pooled: PooledTransaction, account: AccountQueue, rival: PooledTransaction | null, authorized: readonly Address[]): void {
    if (rival !== null) this.#forget(rival, 'replaced')
    this.#accounts.set(account.sender, account)
    this.#byHash.set(pooled.hash, pooled)
    this.#bytes += pooled.tx.raw.length
    this.#floorTip = null
    this.#authorities.add(pooled.hash, authorized)
    for (const ready of account.insert(pooled)) this.executable.emit(ready)
  }

  remove(pooled: PooledTransaction, reason: PoolDropReason): void {
    const account = this.#accounts.get(pooled.sender)
    account?.remove(pooled.hash)
    if (account?.size === 0) this.#accounts.delete(pooled.sender)
    this.#forget(pooled, reason)
  }

  /** Evicts worse transactions, or returns why `incoming` does not fit. */
  makeRoom(incoming: PooledTransaction, waits: boolean, baseFeeWei: bigint): PoolRejected | null {
    const excess = this.#excess(1, incoming.tx.raw.length)
    if (excess.transactions <= 0 && excess.bytes <= 0) return null
    const mine = { pooled: incoming, queued: waits, tip: tipWei(incoming, baseFeeWei) }
    const isNewest = incoming.order === this.#order - 1
    if (this.#floorTip !== null && mine.tip <= this.#floorTip && isNewest) return reject('underpriced', this.#full())
    const plan = planEviction(this.#accounts.values(), mine, excess, baseFeeWei)
    if ('evicted' in plan) {
      for (const pooled of plan.evicted) this.remove(pooled, 'evicted')
      return null
    }
    this.#floorTip = plan.inTheWay?.queued === false && plan.evictable === 0 ? plan.inTheWay.tip : null
    const reason = plan.inTheWay !== null && mine.tip <= plan.inTheWay.tip ? 'underpriced' : 'pool-full'
    return reject(reason, this.#full())
  }

  evictExcess(baseFeeWei: bigint): void {
    for (const pooled of worstOf(this.#accounts.values(), this.#excess(0, 0), baseFeeWei)) this.remove(pooled, 'evicted')
  }

  refresh(account: AccountQueue, head: PoolHead, included: ReadonlySet<Hash> = NOTHING): void {
    this.#floorTip = null
    const { stale, executable } = account.update(head)
    for (const pooled of stale) {
      const taken = included.has(pooled.hash)
      if (taken && pooled.conditional !== undefined) this.#conditionals.set(pooled.hash, pooled.conditional)
      this.#forget(pooled, taken ? 'included' : 'stale')
    }
    for (const pooled of executable) this.executable.emit(pooled)
    if (account.size === 0) this.#accounts.delete(account.sender)
  }

  /** A contract may fund any account, so some accounts are refreshed at every head. */
  refreshSome(head: PoolHead): void {
    const all = [...this.#accounts.values()]
    const count = Math.min(all.length, REFRESHED_PER_HEAD)
    for (let i = 0; i < count; i++) {
      const account = all[(this.#refreshFrom + i) % all.length] as AccountQueue
      if (account.head !== head) this.refresh(account, head)
    }
    this.#refreshFrom = all.length === 0 ? 0 : (this.#refreshFrom + count) % all.length
  }

  dropOutdated(head: PoolHead): void {
    const oldest = this.#nowMs() - this.#options.queuedLifetimeMs
    for (const account of [...this.#accounts.values()]) {
      if (account.queuedCount === 0 || account.movedAtMs >= oldest) continue
      for (const pooled of account.queued) if (pooled.addedAtMs < oldest) this.remove(pooled, 'expired')
    }
    for (const pooled of [...this.#byHash.values()]) {
      if (pooled.conditional !== undefined && failedForGood(pooled.conditional, head.next)) this.remove(pooled, 'condition')
    }
  }

  conditionalOf(hash: Hash): TransactionConditional | undefined {
    return this.#conditionals.get(hash)
  }

  /** Another submitter sent the transaction without conditions. The hash does not cover them, so they must not bind others. */
  liftConditions(hash: Hash): PooledTransaction | null {
    const pooled = this.#byHash.get(hash)
    if (pooled?.conditional === undefined) return null
    delete pooled.conditional
    this.#conditionals.delete(hash)
    return pooled
  }

  #forget(pooled: PooledTransaction, reason: PoolDropReason): void {
    this.#byHash.delete(pooled.hash)
    this.#authorities.remove(pooled.hash)
    this.#bytes -= pooled.tx.raw.length
    this.#floorTip = null
    this.#journal.remove(pooled.hash)
    this.dropped.emit({ pooled, reason })
  }

  #excess(transactions: number, bytes: number) {
    return {
      transactions: this.#byHash.size + transactions - this.#options.maxTransactions,
      bytes: this.#bytes + bytes - this.#options.maxBytes,
    }
  }

  #full(): string {
    return `${this.#byHash.size} transactions, ${this.#bytes} bytes`
  }
}
