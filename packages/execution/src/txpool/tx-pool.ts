/**
 * Transactions waiting for a block. Answers are values; `rejected` means not kept. The journal is
 * written before `added` is answered. The pool follows the chain's head: what a block took leaves,
 * what a reorganisation gave back returns. Walk W2.
 */
import {
  type Address,
  type Clock,
  decodeTransaction,
  type Hash,
  hexToBytes,
  isDeposit,
  type Logger,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  type SignedTransaction,
  type Transaction,
  toAddress,
} from '@keelson/primitives'
import { createEmitter, type Unsubscribe } from '../emitter.ts'
import type { Senders } from '../senders.ts'
import { AccountQueue } from './account-queue.ts'
import type { PoolJournal } from './journal.ts'
import type { AddOptions, PooledTransaction, PoolHead, PoolRejected, PoolRejection, PoolVerdict, TxPoolOptions } from './pool-types.ts'
import { type Selection, selectByTip, tipWei } from './selection.ts'

export interface TxPoolDependencies {
  head(): PoolHead
  readonly chainId: bigint
  readonly senders: Senders
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
  /** `local`: submitted here, so the fee cap for submissions applies. Throws only when the journal cannot be written. */
  add(tx: Transaction, origin: 'local' | 'peer', options?: AddOptions): Promise<PoolVerdict>
  find(hash: Hash): PooledTransaction | null
  /** The nonce after the sender's executable transactions; null when it has none here. */
  nextNonce(sender: Address): bigint | null
  best(baseFeeWei: bigint): Selection
  counts(): PoolCounts
  senders(): readonly SenderTransactions[]
  ofSender(sender: Address): SenderTransactions
  /** Drops one that a block producer found impossible. */
  drop(hash: Hash): void
  /** The head moved: `added` and `removed` are the transactions of blocks that entered and left the chain. */
  onHead(added: readonly Transaction[], removed: readonly Transaction[]): Promise<void>
  /** Called for each transaction that becomes executable. */
  onExecutable(listener: (pooled: PooledTransaction) => void): Unsubscribe
  /** Takes back what an earlier run had accepted. */
  restore(): Promise<number>
}

/** Accounts whose state is read anew at each head, besides those that a block touched. */
const REFRESHED_PER_HEAD = 512

export function createTxPool(options: TxPoolOptions, deps: TxPoolDependencies): TxPool {
  const byHash = new Map<Hash, PooledTransaction>()
  const accounts = new Map<Address, AccountQueue>()
  const executable = createEmitter<PooledTransaction>(deps.log)
  let bytes = 0
  let order = 0
  let refreshFrom = 0

  const reject = (reason: PoolRejection, detail = ''): PoolRejected => ({ kind: 'rejected', reason, detail })

  const forget = (pooled: PooledTransaction): void => {
    byHash.delete(pooled.hash)
    bytes -= pooled.tx.raw.length
    deps.journal.remove(pooled.hash)
  }
  const remove = (pooled: PooledTransaction): void => {
    const account = accounts.get(pooled.sender)
    account?.remove(pooled.hash)
    if (account?.size === 0) accounts.delete(pooled.sender)
    forget(pooled)
  }

  const checkAlone = (tx: Transaction, origin: 'local' | 'peer', head: PoolHead): PoolRejected | null => {
    if (isDeposit(tx)) return reject('deposit')
    if (tx.raw.length > options.maxTransactionBytes) {
      return reject('oversized', `transaction size ${tx.raw.length}, limit ${options.maxTransactionBytes}`)
    }
    if (tx.chainId === null ? !options.allowUnprotected : tx.chainId !== deps.chainId) {
      return tx.chainId === null ? reject('unprotected') : reject('chain-id-mismatch', `have ${tx.chainId} want ${deps.chainId}`)
    }
    const failed = head.check(tx)
    if (failed !== null) return reject(failed.reason, failed.message)
    const tip = maxPriorityFeePerGasWei(tx)
    if (tip < options.minTipWei) return reject('underpriced', `gas tip cap ${tip}, minimum needed ${options.minTipWei}`)
    const mostFeeWei = maxFeePerGasWei(tx) * tx.gasLimit
    if (origin === 'local' && options.feeCapWei > 0n && mostFeeWei > options.feeCapWei) {
      return reject('fee-above-cap', `(${ether(mostFeeWei)} ether) exceeds the configured cap (${ether(options.feeCapWei)} ether)`)
    }
    return null
  }

  const checkAgainstState = (pooled: PooledTransaction, account: AccountQueue): PoolRejected | null => {
    const { tx, sender } = pooled
    const { nonce, balanceWei, hasCode } = account.state
    if (hasCode) return reject('sender-not-eoa', `address ${sender}`)
    if (tx.nonce < nonce) return reject('nonce-too-low', `next nonce ${nonce}, tx nonce ${tx.nonce}`)
    if (balanceWei < pooled.costWei) {
      return reject('insufficient-funds', `balance ${balanceWei}, tx cost ${pooled.costWei}, overshot ${pooled.costWei - balanceWei}`)
    }
    const before = account.costBeforeWei(tx.nonce)
    if (balanceWei < before + pooled.costWei) {
      const over = before + pooled.costWei - balanceWei
      return reject('insufficient-funds', `balance ${balanceWei}, queued cost ${before}, tx cost ${pooled.costWei}, overshot ${over}`)
    }
    const rival = account.find(tx.nonce)
    if (rival !== null) return outbids(tx, rival.tx, options.replacementBumpPercent) ? null : reject('replacement-underpriced')
    if (account.size >= options.maxPerAccount) return reject('account-limit', `${account.size} transactions of ${sender}`)
    const waits = tx.nonce > account.nextNonce
    if (waits && account.queuedCount >= options.maxQueuedPerAccount) {
      return reject('account-limit', `${account.queuedCount} transactions of ${sender} wait for nonce ${account.nextNonce}`)
    }
    return null
  }

  /** Makes room for one more; null when there is, else why not. */
  const makeRoom = (incoming: PooledTransaction, waits: boolean, baseFeeWei: bigint): PoolRejected | null => {
    while (byHash.size + 1 > options.maxTransactions || bytes + incoming.tx.raw.length > options.maxBytes) {
      let worst: { pooled: PooledTransaction; queued: boolean; tip: bigint } | null = null
      for (const account of accounts.values()) {
        const pooled = account.last as PooledTransaction
        const candidate = { pooled, queued: account.queuedCount > 0, tip: tipWei(pooled, baseFeeWei) }
        if (worst === null || isWorse(candidate, worst)) worst = candidate
      }
      const mine = { pooled: incoming, queued: waits, tip: tipWei(incoming, baseFeeWei) }
      if (worst === null || worst.pooled.sender === incoming.sender || !isWorse(worst, mine)) {
        return reject(worst !== null && mine.tip <= worst.tip ? 'underpriced' : 'pool-full', `${byHash.size} transactions, ${bytes} bytes`)
      }
      remove(worst.pooled)
    }
    return null
  }

  const accountOf = (sender: Address, senderBytes: Uint8Array, head: PoolHead): AccountQueue =>
    accounts.get(sender) ?? new AccountQueue(sender, head.account(senderBytes))

  /** Everything but the journal; the pool holds the transaction when this gives `added` or `replaced`. */
  const insert = (tx: Transaction, origin: 'local' | 'peer', addedAtMs: number, { conditional }: AddOptions = {}): PoolVerdict => {
    if (byHash.has(tx.hash)) return reject('already-known')
    const head = deps.head()
    const alone = checkAlone(tx, origin, head)
    if (alone !== null) return alone
    const signed = tx as SignedTransaction
    const senderBytes = deps.senders.recover(signed)
    if (senderBytes === null) return reject('invalid-sender')
    const costWei = head.costWei(signed)
    const sender = toAddress(senderBytes)
    const asked = conditional === undefined ? {} : { conditional }
    const pooled: PooledTransaction = { tx: signed, hash: tx.hash, sender, senderBytes, costWei, addedAtMs, order: order++, ...asked }
    const account = accountOf(sender, senderBytes, head)
    const against = checkAgainstState(pooled, account)
    if (against !== null) return against
    const rival = account.find(signed.nonce)
    if (rival === null) {
      const full = makeRoom(pooled, signed.nonce > account.nextNonce, head.baseFeeWei)
      if (full !== null) return full
    } else forget(rival)
    accounts.set(sender, account)
    byHash.set(pooled.hash, pooled)
    bytes += signed.raw.length
    for (const ready of account.insert(pooled)) executable.emit(ready)
    return rival === null ? { kind: 'added', hash: tx.hash } : { kind: 'replaced', hash: tx.hash, replaced: rival.hash }
  }

  const refresh = (account: AccountQueue, head: PoolHead): void => {
    const { stale, executable: ready } = account.update(head.account(hexToBytes(account.sender)))
    for (const pooled of stale) forget(pooled)
    for (const pooled of ready) executable.emit(pooled)
    if (account.size === 0) accounts.delete(account.sender)
  }

  /** Some of the accounts no block named, in turn: money may reach them through contracts. */
  const refreshSome = (head: PoolHead, done: ReadonlySet<Address>): void => {
    const all = [...accounts.values()]
    const count = Math.min(all.length, REFRESHED_PER_HEAD)
    for (let i = 0; i < count; i++) {
      const account = all[(refreshFrom + i) % all.length] as AccountQueue
      if (!done.has(account.sender)) refresh(account, head)
    }
    refreshFrom = all.length === 0 ? 0 : (refreshFrom + count) % all.length
  }

  const expire = (): void => {
    const oldest = deps.clock.nowMs() - options.queuedLifetimeMs
    for (const account of [...accounts.values()]) {
      for (const pooled of account.queued) if (pooled.addedAtMs < oldest) remove(pooled)
    }
  }

  const view = (account: AccountQueue): SenderTransactions => ({
    sender: account.sender,
    pending: account.pending,
    queued: account.queued,
  })

  return {
    async add(tx, origin, addOptions) {
      const addedAtMs = deps.clock.nowMs()
      const verdict = insert(tx, origin, addedAtMs, addOptions)
      if (verdict.kind === 'rejected') return verdict
      try {
        await deps.journal.add(tx.hash, { addedAtMs, raw: tx.raw })
      } catch (error) {
        const kept = byHash.get(tx.hash)
        if (kept !== undefined) remove(kept)
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
    drop(hash) {
      const pooled = byHash.get(hash)
      if (pooled !== undefined) remove(pooled)
    },
    async onHead(added, removed) {
      const head = deps.head()
      const touched = new Set<Address>()
      const taken = new Set<Hash>()
      for (const tx of added) {
        taken.add(tx.hash)
        const pooled = byHash.get(tx.hash)
        if (pooled !== undefined) touched.add(pooled.sender)
      }
      for (const tx of removed) {
        if (isDeposit(tx)) continue
        const sender = deps.senders.recover(tx)
        if (sender !== null) touched.add(toAddress(sender))
      }
      for (const sender of touched) {
        const account = accounts.get(sender)
        if (account !== undefined) refresh(account, head)
      }
      refreshSome(head, touched)
      expire()
      const returned = removed.filter((tx) => !isDeposit(tx) && !taken.has(tx.hash))
      const nowMs = deps.clock.nowMs()
      const kept = returned.filter((tx) => insert(tx, 'peer', nowMs).kind !== 'rejected')
      await Promise.all([...kept.map((tx) => deps.journal.add(tx.hash, { addedAtMs: nowMs, raw: tx.raw })), deps.journal.flush()])
    },
    onExecutable: (listener) => executable.on(listener),
    async restore() {
      let restored = 0
      const entries = [...(await deps.journal.load())].sort((a, b) => a.addedAtMs - b.addedAtMs)
      for (const entry of entries) {
        const tx = decodeTransaction(entry.raw)
        if (insert(tx, 'peer', entry.addedAtMs).kind === 'rejected') deps.journal.remove(tx.hash)
        else restored++
      }
      await deps.journal.flush()
      return restored
    },
  }
}

/** Both the fee cap and the tip have to grow by the bump. */
function outbids(tx: SignedTransaction, rival: SignedTransaction, bumpPercent: bigint): boolean {
  const enough = (offered: bigint, held: bigint) => offered > held && offered * 100n >= held * (100n + bumpPercent)
  return enough(maxFeePerGasWei(tx), maxFeePerGasWei(rival)) && enough(maxPriorityFeePerGasWei(tx), maxPriorityFeePerGasWei(rival))
}

interface Ranked {
  readonly pooled: PooledTransaction
  readonly queued: boolean
  readonly tip: bigint
}

/** Waiting ones go before executable ones, then the lower tip, then the later comer. */
function isWorse(a: Ranked, b: Ranked): boolean {
  if (a.queued !== b.queued) return a.queued
  if (a.tip !== b.tip) return a.tip < b.tip
  return a.pooled.order > b.pooled.order
}

/** As geth writes a fee. */
function ether(wei: bigint): string {
  return (Number(wei) / 1e18).toFixed(2)
}
