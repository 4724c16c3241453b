/**
 * Transactions waiting for a block. The journal is written before `add` returns `added`. The pool follows the head: included transactions
 * leave, those of reverted blocks return. Walk W2.
 */
import {
  type Address,
  type Clock,
  type Hash,
  isDeposit,
  type Logger,
  type SignedTransaction,
  type Transaction,
  toAddress,
} from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import { createEmitter, type Unsubscribe } from '../emitter.ts'
import type { Senders } from '../senders.ts'
import { AccountQueue } from './account-queue.ts'
import { checkAgainstAccount, checkAlone, checkDelegation, reject } from './admission.ts'
import { createAuthorities } from './authorities.ts'
import { failedForGood, type TransactionConditional } from './conditional.ts'
import { planEviction, worstOf } from './eviction.ts'
import type { JournalEntry, PoolJournal } from './journal.ts'
import type {
  AddOptions,
  PoolDrop,
  PoolDropReason,
  PooledTransaction,
  PoolHead,
  PoolOrigin,
  PoolRejected,
  PoolVerdict,
  TxPoolOptions,
} from './pool-types.ts'
import { type Selection, selectByTip, tipWei } from './selection.ts'

export interface TxPoolDependencies {
  head(): PoolHead
  readonly chainId: bigint
  readonly senders: Senders
  /** Distinct authorities of a set-code transaction (EIP-7702); empty for other types. */
  authoritiesOf(tx: SignedTransaction): readonly Address[]
  readonly clock: Clock
  readonly log: Logger
  readonly journal: PoolJournal
}

export interface PoolCounts {
  readonly pending: number
  readonly queued: number
  readonly bytes: number
}

export interface SenderTransactions {
  readonly sender: Address
  readonly pending: readonly PooledTransaction[]
  readonly queued: readonly PooledTransaction[]
}

export interface TxPool {
  /** Throws only when the journal cannot be written; the transaction is not kept then. */
  add(tx: Transaction, origin: PoolOrigin, options?: AddOptions): Promise<PoolVerdict>
  find(hash: Hash): PooledTransaction | null
  /** The nonce after the sender's executable transactions; null without a sender in the pool. */
  nextNonce(sender: Address): bigint | null
  best(baseFeeWei: bigint): Selection
  counts(): PoolCounts
  senders(): readonly SenderTransactions[]
  ofSender(sender: Address): SenderTransactions
  /** Drops a transaction, by default because the block builder found it invalid. */
  drop(hash: Hash, reason?: PoolDropReason): void
  /**
   * `added` and `removed` are the transactions of blocks that entered and left the chain. The pool is updated when this call returns; the
   * promise waits for the journal.
   */
  onHead(added: readonly Transaction[], removed: readonly Transaction[]): Promise<void>
  /** Called for each transaction that becomes executable. */
  onExecutable(listener: (pooled: PooledTransaction) => void): Unsubscribe
  /** Called for each transaction that leaves. */
  onDropped(listener: (drop: PoolDrop) => void): Unsubscribe
  /** Restores the journal and returns the number of accepted transactions. */
  restore(): Promise<number>
}

/** Accounts refreshed at each head besides those that its blocks involve. */
const REFRESHED_PER_HEAD = 512
/** Number of included transactions whose conditions are kept in case of a reorg. */
const REMEMBERED_CONDITIONALS = 1_024

interface Incoming extends AddOptions {
  readonly origin: PoolOrigin
  /** Skips eviction: the caller inserts many transactions and evicts once afterwards. */
  readonly roomLater?: boolean
  readonly addedAtMs: number
  readonly order: number
}

interface Inserted {
  readonly verdict: PoolVerdict
  readonly replaced: PooledTransaction | null
}

export function createTxPool(options: TxPoolOptions, deps: TxPoolDependencies): TxPool {
  const byHash = new Map<Hash, PooledTransaction>()
  const accounts = new Map<Address, AccountQueue>()
  const authorities = createAuthorities()
  const conditionals = new LRUCache<Hash, TransactionConditional>({ max: REMEMBERED_CONDITIONALS })
  const executable = createEmitter<PooledTransaction>(deps.log)
  const dropped = createEmitter<PoolDrop>(deps.log)
  const nowMs = () => deps.clock.nowMs()
  let bytes = 0
  let order = 0
  let refreshFrom = 0
  /** Lowest tip in a full pool of executable transactions, null when unknown; fast path to reject spam. */
  let floorTip: bigint | null = null

  const forget = (pooled: PooledTransaction, reason: PoolDropReason): void => {
    byHash.delete(pooled.hash)
    authorities.remove(pooled.hash)
    bytes -= pooled.tx.raw.length
    floorTip = null
    deps.journal.remove(pooled.hash)
    dropped.emit({ pooled, reason })
  }
  const remove = (pooled: PooledTransaction, reason: PoolDropReason): void => {
    const account = accounts.get(pooled.sender)
    account?.remove(pooled.hash)
    if (account?.size === 0) accounts.delete(pooled.sender)
    forget(pooled, reason)
  }

  const makeRoom = (incoming: PooledTransaction, waits: boolean, baseFeeWei: bigint): PoolRejected | null => {
    const excess = { transactions: byHash.size + 1 - options.maxTransactions, bytes: bytes + incoming.tx.raw.length - options.maxBytes }
    if (excess.transactions <= 0 && excess.bytes <= 0) return null
    const mine = { pooled: incoming, queued: waits, tip: tipWei(incoming, baseFeeWei) }
    if (floorTip !== null && mine.tip <= floorTip && incoming.order === order - 1) return reject('underpriced', full())
    const plan = planEviction(accounts.values(), mine, excess, baseFeeWei)
    if ('evicted' in plan) {
      for (const pooled of plan.evicted) remove(pooled, 'evicted')
      return null
    }
    floorTip = plan.inTheWay?.queued === false && plan.evictable === 0 ? plan.inTheWay.tip : null
    const reason = plan.inTheWay !== null && mine.tip <= plan.inTheWay.tip ? 'underpriced' : 'pool-full'
    return reject(reason, full())
  }
  const full = () => `${byHash.size} transactions, ${bytes} bytes`

  const refresh = (account: AccountQueue, head: PoolHead, included: ReadonlySet<Hash> = NOTHING): void => {
    floorTip = null
    const { stale, executable: ready } = account.update(head)
    for (const pooled of stale) {
      const taken = included.has(pooled.hash)
      if (taken && pooled.conditional !== undefined) conditionals.set(pooled.hash, pooled.conditional)
      forget(pooled, taken ? 'included' : 'stale')
    }
    for (const pooled of ready) executable.emit(pooled)
    if (account.size === 0) accounts.delete(account.sender)
  }

  /** Returns the sender's queue at the head; a new queue is stored when it gets a transaction. */
  const accountOf = (sender: Address, senderBytes: Uint8Array, head: PoolHead): AccountQueue => {
    const known = accounts.get(sender)
    if (known !== undefined && known.head !== head) refresh(known, head)
    return accounts.get(sender) ?? new AccountQueue(sender, senderBytes, head, nowMs)
  }

  /**
   * Removes the conditions of a transaction that another submitter sends without any: the hash does not cover conditions, so they must not
   * bind others. Returns null when there are none.
   */
  const liftConditions = (hash: Hash): PooledTransaction | null => {
    const pooled = byHash.get(hash)
    if (pooled?.conditional === undefined) return null
    delete pooled.conditional
    conditionals.delete(hash)
    return pooled
  }

  /** Inserts a transaction without writing the journal. */
  const insert = (tx: Transaction, incoming: Incoming): Inserted => {
    const refuse = (verdict: PoolRejected): Inserted => ({ verdict, replaced: null })
    if (byHash.has(tx.hash)) return refuse(reject('already-known'))
    const { origin, conditional, addedAtMs } = incoming
    const head = deps.head()
    const alone = checkAlone(tx, origin, head, options, deps.chainId)
    if (alone !== null) return refuse(alone)
    const signed = tx as SignedTransaction
    const senderBytes = deps.senders.recover(signed)
    if (senderBytes === null) return refuse(reject('invalid-sender'))
    const sender = toAddress(senderBytes)
    const account = accountOf(sender, senderBytes, head)
    const pooled: PooledTransaction = {
      tx: signed,
      hash: tx.hash,
      sender,
      senderBytes,
      costWei: head.costWei(signed),
      addedAtMs,
      order: incoming.order,
      ...(conditional === undefined ? {} : { conditional }),
    }
    const against = checkAgainstAccount(pooled, origin, account, options)
    if (against !== null) return refuse(against)
    const authorized = deps.authoritiesOf(signed)
    const inFlight = authorized.map((address) => ({ address, inFlight: accounts.get(address)?.size ?? 0 }))
    // A returned transaction passed the limits before, and the journal has another order.
    const delegation = origin === 'returned' ? null : checkDelegation(signed, account, authorities.has(sender), inFlight)
    if (delegation !== null) return refuse(delegation)
    const rival = account.find(signed.nonce)
    const full = rival !== null || incoming.roomLater === true ? null : makeRoom(pooled, signed.nonce > account.nextNonce, head.baseFeeWei)
    if (full !== null) return refuse(full)
    if (rival !== null) forget(rival, 'replaced')
    accounts.set(sender, account)
    byHash.set(pooled.hash, pooled)
    bytes += signed.raw.length
    floorTip = null
    authorities.add(pooled.hash, authorized)
    for (const ready of account.insert(pooled)) executable.emit(ready)
    const verdict: PoolVerdict =
      rival === null ? { kind: 'added', hash: tx.hash } : { kind: 'replaced', hash: tx.hash, replaced: rival.hash }
    return { verdict, replaced: rival }
  }

  /** Refreshes some accounts in rotation: contracts may send them funds without naming them. */
  const refreshSome = (head: PoolHead): void => {
    const all = [...accounts.values()]
    const count = Math.min(all.length, REFRESHED_PER_HEAD)
    for (let i = 0; i < count; i++) {
      const account = all[(refreshFrom + i) % all.length] as AccountQueue
      if (account.head !== head) refresh(account, head)
    }
    refreshFrom = all.length === 0 ? 0 : (refreshFrom + count) % all.length
  }

  /** Returns the accounts that a transaction names: signer, target and authorities. */
  const involved = (tx: Transaction): readonly Address[] => {
    const sender = deps.senders.recover(tx)
    const named = [sender, tx.to].filter((address) => address !== null).map(toAddress)
    return isDeposit(tx) ? named : [...named, ...deps.authoritiesOf(tx)]
  }

  const dropOutdated = (head: PoolHead): void => {
    const oldest = nowMs() - options.queuedLifetimeMs
    for (const account of [...accounts.values()]) {
      if (account.queuedCount === 0 || account.movedAtMs >= oldest) continue
      for (const pooled of account.queued) if (pooled.addedAtMs < oldest) remove(pooled, 'expired')
    }
    for (const pooled of [...byHash.values()]) {
      if (pooled.conditional !== undefined && failedForGood(pooled.conditional, head.next)) remove(pooled, 'condition')
    }
  }

  /**
   * Reinserts transactions from reverted blocks, lowest block first. Takes at most as many as the pool holds, because each costs a recovery
   * on the core thread, and evicts once for all of them.
   */
  const takeBack = (returned: readonly Transaction[], head: PoolHead): readonly JournalEntry[] => {
    const taken = returned.slice(0, options.maxTransactions)
    if (taken.length < returned.length)
      deps.log.warn('a reorg returned more transactions than the pool holds', { dropped: returned.length - taken.length })
    const addedAtMs = nowMs()
    const kept: JournalEntry[] = []
    for (const tx of taken) {
      const conditional = conditionals.get(tx.hash)
      const place = { addedAtMs, order: order++ }
      const { verdict } = insert(tx, {
        origin: 'returned',
        roomLater: true,
        ...place,
        ...(conditional === undefined ? {} : { conditional }),
      })
      if (verdict.kind !== 'rejected' && conditional === undefined) kept.push({ ...place, tx })
    }
    const excess = { transactions: byHash.size - options.maxTransactions, bytes: bytes - options.maxBytes }
    for (const pooled of worstOf(accounts.values(), excess, head.baseFeeWei)) remove(pooled, 'evicted')
    return kept
  }

  const view = (account: AccountQueue): SenderTransactions => ({
    sender: account.sender,
    pending: account.pending,
    queued: account.queued,
  })

  return {
    async add(tx, origin, addOptions = {}) {
      const lifted = addOptions.conditional === undefined ? liftConditions(tx.hash) : null
      const { addedAtMs, order: place } = lifted ?? { addedAtMs: nowMs(), order: order++ }
      const { verdict, replaced }: Inserted =
        lifted === null
          ? insert(tx, { ...addOptions, origin, addedAtMs, order: place })
          : { verdict: { kind: 'added', hash: tx.hash }, replaced: null }
      // Conditional transactions are not persisted: a restart drops them.
      if (verdict.kind === 'rejected' || addOptions.conditional !== undefined) return verdict
      try {
        await deps.journal.add({ addedAtMs, order: place, tx })
      } catch (error) {
        const kept = byHash.get(tx.hash)
        if (kept !== undefined) remove(kept, 'unsaved')
        if (kept !== undefined && replaced !== null) putBack(replaced)
        throw error
      }
      return verdict
    },
    find: (hash) => byHash.get(hash) ?? null,
    nextNonce: (sender) => accounts.get(sender)?.nextNonce ?? null,
    best: (baseFeeWei) =>
      selectByTip(
        [...accounts.values()].map((account) => account.pending),
        baseFeeWei,
        options.minTipWei,
      ),
    counts() {
      let pending = 0
      for (const account of accounts.values()) pending += account.pendingCount
      return { pending, queued: byHash.size - pending, bytes }
    },
    senders: () => [...accounts.values()].map(view),
    ofSender(sender) {
      const account = accounts.get(sender)
      return account === undefined ? { sender, pending: [], queued: [] } : view(account)
    },
    drop(hash, reason = 'failed') {
      const pooled = byHash.get(hash)
      if (pooled !== undefined) remove(pooled, reason)
    },
    async onHead(added, removed) {
      const head = deps.head()
      const included = new Set(added.map((tx) => tx.hash))
      // A long reorg affects most accounts, and recovering its senders costs more than refreshing all.
      const isLong = added.length + removed.length > options.maxTransactions
      const concerned = isLong ? accounts.keys() : accounts.size > 0 ? [...added, ...removed].flatMap(involved) : []
      for (const sender of new Set(concerned)) {
        const account = accounts.get(sender)
        if (account !== undefined) refresh(account, head, included)
      }
      refreshSome(head)
      const kept = takeBack(
        removed.filter((tx) => !isDeposit(tx) && !included.has(tx.hash)),
        head,
      )
      dropOutdated(head)
      const staying = kept.filter(({ tx }) => byHash.has(tx.hash))
      await Promise.all([...staying.map((entry) => deps.journal.add(entry)), deps.journal.flush()])
    },
    onExecutable: (listener) => executable.on(listener),
    onDropped: (listener) => dropped.on(listener),
    async restore() {
      const { entries, unreadable } = await deps.journal.load()
      if (unreadable > 0) deps.log.warn('dropped unreadable entries of the pool journal', { entries: unreadable })
      const came = [...entries]
        .sort((a, b) => a.addedAtMs - b.addedAtMs || a.order - b.order)
        .map((entry) => ({ ...entry, order: order++ }))
      // Insert in nonce order, so that no transaction waits for a later one.
      const nonceOf = (tx: Transaction) => (isDeposit(tx) ? 0n : tx.nonce)
      came.sort((a, b) => (nonceOf(a.tx) < nonceOf(b.tx) ? -1 : nonceOf(a.tx) > nonceOf(b.tx) ? 1 : a.order - b.order))
      let restored = 0
      for (const { tx, addedAtMs, order: place } of came) {
        const { verdict } = insert(tx, { origin: 'returned', addedAtMs, order: place })
        if (verdict.kind === 'rejected') deps.journal.remove(tx.hash)
        else restored++
      }
      await deps.journal.flush()
      return restored
    },
  }

  function putBack(pooled: PooledTransaction): void {
    const { tx, addedAtMs, conditional } = pooled
    const asked = conditional === undefined ? {} : { conditional }
    const { verdict } = insert(tx, { origin: 'returned', addedAtMs, order: pooled.order, ...asked })
    // If this write fails too, a restart loses the transaction.
    if (verdict.kind !== 'rejected' && conditional === undefined)
      deps.journal.add({ addedAtMs, order: pooled.order, tx }).catch(() => undefined)
  }
}

const NOTHING: ReadonlySet<Hash> = new Set()
