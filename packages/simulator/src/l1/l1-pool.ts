/** Waiting transactions of L1, by geth's rules. */

import { GAS_PER_BLOB } from '@keelson/evm'
import { type Address, type Hash, maxFeePerGasWei, maxPriorityFeePerGasWei, type SignedTransaction, TX_BLOB } from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import { accountOf, type L1State } from './l1-state.ts'

export interface PooledL1Transaction {
  readonly tx: SignedTransaction
  readonly sender: Address
}

const SERVER_ERROR = -32000
const BUMP_PERCENT = 110n
const BLOB_BUMP_PERCENT = 200n
const MAX_POOLED = 4_096

export class L1Pool {
  readonly #senders = new Map<Address, Map<bigint, SignedTransaction>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  find(hash: Hash): SignedTransaction | null {
    for (const queue of this.#senders.values()) {
      for (const tx of queue.values()) if (tx.hash === hash) return tx
    }
    return null
  }

  /** The next nonce after those that wait in sequence. */
  pendingNonce(state: L1State, sender: Address): bigint {
    let { nonce } = accountOf(state, sender)
    while (this.#senders.get(sender)?.has(nonce)) nonce++
    return nonce
  }

  /** Throws RpcError -32000 with geth's texts. */
  add({ tx, sender }: PooledL1Transaction, state: L1State): void {
    const account = accountOf(state, sender)
    if (tx.nonce < account.nonce) throw refusal(`nonce too low: next nonce ${account.nonce}, tx nonce ${tx.nonce}`)
    const queue = this.#senders.get(sender) ?? new Map<bigint, SignedTransaction>()
    const before = queue.get(tx.nonce)
    if (before?.hash === tx.hash) throw refusal('already known')
    if (costWei(tx) > account.balanceWei) throw refusal('insufficient funds for gas * price + value')
    const other = [...queue.values()].find(({ type }) => (type === TX_BLOB) !== (tx.type === TX_BLOB))
    if (other !== undefined) throw refusal('address already reserved')
    if (before !== undefined && !replaces(tx, before)) throw refusal('replacement transaction underpriced')
    if (before === undefined && this.#size >= MAX_POOLED) throw refusal('txpool is full')
    if (before === undefined) this.#size++
    queue.set(tx.nonce, tx)
    this.#senders.set(sender, queue)
  }

  /** A transaction of a block that was replaced. */
  putBack({ tx, sender }: PooledL1Transaction): void {
    const queue = this.#senders.get(sender) ?? new Map<bigint, SignedTransaction>()
    if (!queue.has(tx.nonce)) this.#size++
    queue.set(tx.nonce, tx)
    this.#senders.set(sender, queue)
  }

  /** The sender's transaction of this nonce, if it pays the base fee. It stays until `clean`. */
  peek(sender: Address, nonce: bigint, baseFeeWei: bigint): SignedTransaction | null {
    const tx = this.#senders.get(sender)?.get(nonce)
    return tx === undefined || maxFeePerGasWei(tx) < baseFeeWei ? null : tx
  }

  /** Drops transactions whose nonce was used. */
  clean(state: L1State): void {
    for (const [sender, queue] of this.#senders) {
      const { nonce } = accountOf(state, sender)
      for (const used of queue.keys()) {
        if (used >= nonce) continue
        queue.delete(used)
        this.#size--
      }
    }
  }

  senders(): readonly Address[] {
    return [...this.#senders.keys()]
  }
}

function replaces(tx: SignedTransaction, before: SignedTransaction): boolean {
  const percent = tx.type === TX_BLOB ? BLOB_BUMP_PERCENT : BUMP_PERCENT
  const enough = (now: bigint, then: bigint) => now * 100n >= then * percent
  if (tx.type === TX_BLOB && before.type === TX_BLOB && !enough(tx.maxFeePerBlobGasWei, before.maxFeePerBlobGasWei)) return false
  return enough(maxFeePerGasWei(tx), maxFeePerGasWei(before)) && enough(maxPriorityFeePerGasWei(tx), maxPriorityFeePerGasWei(before))
}

/** The most that a transaction can cost. */
function costWei(tx: SignedTransaction): bigint {
  const blobsWei = tx.type === TX_BLOB ? GAS_PER_BLOB * BigInt(tx.blobVersionedHashes.length) * tx.maxFeePerBlobGasWei : 0n
  return maxFeePerGasWei(tx) * tx.gasLimit + tx.valueWei + blobsWei
}

function refusal(message: string): RpcError {
  return new RpcError(SERVER_ERROR, message)
}
