/** Included transactions leave the pool; those of reverted blocks return to it. */
import {
  type Address,
  type Clock,
  type Hash,
  isSigned,
  type Logger,
  recipientOf,
  type SignedTransaction,
  type Transaction,
  toAddress,
} from '@keelson/primitives'
import type { Unsubscribe } from '../emitter.ts'
import type { Senders } from '../senders/senders.ts'
import type { AccountQueue } from './account-queue.ts'
import { checkAgainstAccount, checkAlone, checkDelegation, reject } from './admission.ts'
import type { JournalEntry, PoolJournal } from './journal.ts'
import { PoolContents } from './pool-contents.ts'
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
import { type Selection, selectByTip } from './selection.ts'

export interface TxPoolDependencies {
  head(): PoolHead
  readonly chainId: bigint
  readonly senders: Pick<Senders, 'recover'>
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
  /** Throws only when the journal cannot be written; the transaction is then dropped. */
  add(tx: Transaction, origin: PoolOrigin, options?: AddOptions): Promise<PoolVerdict>
  find(hash: Hash): PooledTransaction | null
  nextNonce(sender: Address): bigint | null
  best(baseFeeWei: bigint): Selection
  counts(): PoolCounts
  senders(): readonly SenderTransactions[]
  ofSender(sender: Address): SenderTransactions
  /** The default reason means that the builder found the transaction invalid. */
  drop(hash: Hash, reason?: PoolDropReason): void
  /** Updates the pool before it returns; the promise waits for the journal. */
  onHead(added: readonly Transaction[], removed: readonly Transaction[]): Promise<void>
  onExecutable(listener: (pooled: PooledTransaction) => void): Unsubscribe
  onDropped(listener: (drop: PoolDrop) => void): Unsubscribe
  /** Takes the transactions of the journal that are not in the pool; returns how many were added. */
  restore(): Promise<number>
}

interface Incoming extends AddOptions {
  readonly origin: PoolOrigin
  readonly roomLater?: boolean
  readonly addedAtMs: number
  readonly order: number
}

interface Inserted {
  readonly verdict: PoolVerdict
  readonly replaced: PooledTransaction | null
}

const refuse = (verdict: PoolRejected): Inserted => ({ verdict, replaced: null })

export function createTxPool(options: TxPoolOptions, deps: TxPoolDependencies): TxPool {
  return new JournaledTxPool(options, deps)
}

class JournaledTxPool implements TxPool {
  readonly #options: TxPoolOptions
  readonly #deps: TxPoolDependencies
  readonly #contents: PoolContents

  constructor(options: TxPoolOptions, deps: TxPoolDependencies) {
    this.#options = options
    this.#deps = deps
    this.#contents = new PoolContents(options, deps)
  }

  async add(tx: Transaction, origin: PoolOrigin, options: AddOptions = {}): Promise<PoolVerdict> {
    const contents = this.#contents
    const lifted = options.conditional === undefined ? contents.liftConditions(tx.hash) : null
    const { addedAtMs, order } = lifted ?? { addedAtMs: this.#deps.clock.nowMs(), order: contents.takeOrder() }
    const { verdict, replaced }: Inserted =
      lifted === null
        ? this.#insert(tx, { ...options, origin, addedAtMs, order })
        : { verdict: { kind: 'added', hash: tx.hash }, replaced: null }
    // A restart drops conditional transactions.
    if (verdict.kind === 'rejected' || options.conditional !== undefined) return verdict
    try {
      await this.#deps.journal.add({ addedAtMs, order, tx })
    } catch (error) {
      const kept = contents.find(tx.hash)
      if (kept !== undefined) contents.remove(kept, 'unsaved')
      if (kept !== undefined && replaced !== null) this.#putBack(replaced)
      throw error
    }
    return verdict
  }

  find(hash: Hash): PooledTransaction | null {
    return this.#contents.find(hash) ?? null
  }

  nextNonce(sender: Address): bigint | null {
    return this.#contents.accounts.get(sender)?.nextNonce ?? null
  }

  best(baseFeeWei: bigint): Selection {
    const pending = [...this.#contents.accounts.values()].map((account) => account.pending)
    return selectByTip(pending, baseFeeWei, this.#options.minTipWei)
  }

  counts(): PoolCounts {
    let pending = 0
    for (const account of this.#contents.accounts.values()) pending += account.pendingCount
    return { pending, queued: this.#contents.size - pending, bytes: this.#contents.bytes }
  }

  senders(): readonly SenderTransactions[] {
    return [...this.#contents.accounts.values()].map(transactionsOf)
  }

  ofSender(sender: Address): SenderTransactions {
    const account = this.#contents.accounts.get(sender)
    return account === undefined ? { sender, pending: [], queued: [] } : transactionsOf(account)
  }

  drop(hash: Hash, reason: PoolDropReason = 'failed'): void {
    const pooled = this.#contents.find(hash)
    if (pooled !== undefined) this.#contents.remove(pooled, reason)
  }

  async onHead(added: readonly Transaction[], removed: readonly Transaction[]): Promise<void> {
    const { journal } = this.#deps
    const { accounts } = this.#contents
    const head = this.#deps.head()
    const included = new Set(added.map((tx) => tx.hash))
    // For a long reorg, refreshing all accounts costs less than recovering senders.
    const isLong = added.length + removed.length > this.#options.maxTransactions
    const concerned = isLong ? accounts.keys() : accounts.size > 0 ? [...added, ...removed].flatMap((tx) => this.#involved(tx)) : []
    for (const sender of new Set(concerned)) {
      const account = accounts.get(sender)
      if (account !== undefined) this.#contents.refresh(account, head, included)
    }
    this.#contents.refreshSome(head)
    const kept = this.#takeBack(
      removed.filter((tx) => isSigned(tx) && !included.has(tx.hash)),
      head,
    )
    this.#contents.dropOutdated(head)
    const staying = kept.filter(({ tx }) => this.#contents.find(tx.hash) !== undefined)
    await Promise.all([...staying.map((entry) => journal.add(entry)), journal.flush()])
  }

  onExecutable(listener: (pooled: PooledTransaction) => void): Unsubscribe {
    return this.#contents.executable.on(listener)
  }

  onDropped(listener: (drop: PoolDrop) => void): Unsubscribe {
    return this.#contents.dropped.on(listener)
  }

  async restore(): Promise<number> {
    const { journal, log } = this.#deps
    const { entries, unreadable } = await journal.load()
    if (unreadable > 0) log.warn('dropped unreadable entries of the pool journal', { entries: unreadable })
    const came = [...entries]
      .sort((a, b) => a.addedAtMs - b.addedAtMs || a.order - b.order)
      .map((entry) => ({ ...entry, order: this.#contents.takeOrder() }))
    const nonceOf = (tx: Transaction) => (isSigned(tx) ? tx.nonce : 0n)
    came.sort((a, b) => (nonceOf(a.tx) < nonceOf(b.tx) ? -1 : nonceOf(a.tx) > nonceOf(b.tx) ? 1 : a.order - b.order))
    let restored = 0
    for (const { tx, addedAtMs, order } of came) {
      if (this.#contents.find(tx.hash) !== undefined) continue
      const { verdict } = this.#insert(tx, { origin: 'returned', addedAtMs, order })
      if (verdict.kind === 'rejected') journal.remove(tx.hash)
      else restored++
    }
    await journal.flush()
    return restored
  }

  #insert(tx: Transaction, incoming: Incoming): Inserted {
    const contents = this.#contents
    const deps = this.#deps
    if (contents.find(tx.hash) !== undefined) return refuse(reject('already-known'))
    const { origin, conditional, addedAtMs, order } = incoming
    const head = deps.head()
    const alone = checkAlone(tx, origin, head, this.#options, deps.chainId)
    if (alone !== null) return refuse(alone)
    const signed = tx as SignedTransaction
    const senderBytes = deps.senders.recover(signed)
    if (senderBytes === null) return refuse(reject('invalid-sender'))
    const account = contents.accountOf(senderBytes, head)
    const { sender } = account
    const pooled: PooledTransaction = {
      tx: signed,
      hash: tx.hash,
      sender,
      senderBytes,
      costWei: head.costWei(signed),
      addedAtMs,
      order,
      ...(conditional === undefined ? {} : { conditional }),
    }
    const against = checkAgainstAccount(pooled, origin, account, this.#options)
    if (against !== null) return refuse(against)
    const authorized = deps.authoritiesOf(signed)
    const inFlight = authorized.map((address) => ({ address, inFlight: contents.accounts.get(address)?.size ?? 0 }))
    // A returned transaction passed these limits before.
    const delegation = origin === 'returned' ? null : checkDelegation(signed, account, contents.isAuthority(sender), inFlight)
    if (delegation !== null) return refuse(delegation)
    const rival = account.find(signed.nonce)
    const needsRoom = rival === null && incoming.roomLater !== true
    const full = needsRoom ? contents.makeRoom(pooled, signed.nonce > account.nextNonce, head.baseFeeWei) : null
    if (full !== null) return refuse(full)
    contents.insert(pooled, account, rival, authorized)
    const verdict: PoolVerdict =
      rival === null ? { kind: 'added', hash: tx.hash } : { kind: 'replaced', hash: tx.hash, replaced: rival.hash }
    return { verdict, replaced: rival }
  }

  #involved(tx: Transaction): readonly Address[] {
    const sender = this.#deps.senders.recover(tx)
    const named = [sender, recipientOf(tx)].filter((address) => address !== null).map(toAddress)
    return isSigned(tx) ? [...named, ...this.#deps.authoritiesOf(tx)] : named
  }

  /** Limited, because each transaction costs a signature recovery on the core thread. */
  #takeBack(returned: readonly Transaction[], head: PoolHead): readonly JournalEntry[] {
    const contents = this.#contents
    const taken = returned.slice(0, this.#options.maxTransactions)
    if (taken.length < returned.length)
      this.#deps.log.warn('a reorg returned more transactions than the pool holds', { dropped: returned.length - taken.length })
    const addedAtMs = this.#deps.clock.nowMs()
    const kept: JournalEntry[] = []
    for (const tx of taken) {
      const conditional = contents.conditionalOf(tx.hash)
      const place = { addedAtMs, order: contents.takeOrder() }
      const conditions = conditional === undefined ? {} : { conditional }
      const { verdict } = this.#insert(tx, { origin: 'returned', roomLater: true, ...place, ...conditions })
      if (verdict.kind !== 'rejected' && conditional === undefined) kept.push({ ...place, tx })
    }
    contents.evictExcess(head.baseFeeWei)
    return kept
  }

  #putBack(pooled: PooledTransaction): void {
    const { tx, addedAtMs, order, conditional } = pooled
    const conditions = conditional === undefined ? {} : { conditional }
    const { verdict } = this.#insert(tx, { origin: 'returned', addedAtMs, order, ...conditions })
    if (verdict.kind !== 'rejected' && conditional === undefined) this.#deps.journal.add({ addedAtMs, order, tx }).catch(() => undefined)
  }
}

function transactionsOf({ sender, pending, queued }: AccountQueue): SenderTransactions {
  return { sender, pending, queued }
}
