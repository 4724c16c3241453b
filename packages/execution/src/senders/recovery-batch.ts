/**
 * Transactions whose senders several threads recover together, in shared memory:
 * - i32 count | i32 1 if signatures must be low
 * - i32 state * | i32 end of the raw transaction * | sender 20 * | raw transactions
 */
import { type Bytes20, type Crypto, decodeSignedTransaction, recoverSender, type SignedTransaction } from '@keelson/primitives'

type Recovery = Pick<Crypto, 'recover'>

const HEAD_WORDS = 2
const WORD_BYTES = 4
const SENDER_BYTES = 20

const FREE = 0
const CLAIMED = 1
const VALID = 2
const INVALID = 3

/** After this time, the thread that claimed a transaction counts as dead. */
const CLAIM_MS = 50

export class RecoveryBatch {
  readonly shared: SharedArrayBuffer
  readonly #lowSignatures: boolean
  readonly #states: Int32Array
  readonly #ends: Int32Array
  readonly #senders: Uint8Array
  readonly #raw: Uint8Array
  #next = 0

  private constructor(shared: SharedArrayBuffer) {
    const [count = 0, low] = new Int32Array(shared, 0, HEAD_WORDS)
    this.shared = shared
    this.#lowSignatures = low === 1
    this.#states = new Int32Array(shared, HEAD_WORDS * WORD_BYTES, count)
    this.#ends = new Int32Array(shared, this.#states.byteOffset + count * WORD_BYTES, count)
    this.#senders = new Uint8Array(shared, this.#ends.byteOffset + count * WORD_BYTES, count * SENDER_BYTES)
    this.#raw = new Uint8Array(shared, this.#senders.byteOffset + count * SENDER_BYTES)
  }

  static create(transactions: readonly SignedTransaction[], lowSignatures: boolean): RecoveryBatch {
    const count = transactions.length
    const rawBytes = transactions.reduce((sum, tx) => sum + tx.raw.length, 0)
    const shared = new SharedArrayBuffer((HEAD_WORDS + 2 * count) * WORD_BYTES + count * SENDER_BYTES + rawBytes)
    new Int32Array(shared, 0, HEAD_WORDS).set([count, lowSignatures ? 1 : 0])
    const batch = new RecoveryBatch(shared)
    let at = 0
    for (const [i, { raw }] of transactions.entries()) {
      batch.#raw.set(raw, at)
      at += raw.length
      batch.#ends[i] = at
    }
    return batch
  }

  static open(shared: SharedArrayBuffer): RecoveryBatch {
    return new RecoveryBatch(shared)
  }

  /** Returns false when every transaction is claimed. */
  recoverNext(crypto: Recovery): boolean {
    for (; this.#next < this.#states.length; this.#next++) {
      if (!this.#claim(this.#next)) continue
      this.#recover(this.#next, crypto)
      return true
    }
    return false
  }

  /** Null for an invalid signature. */
  settle(index: number, crypto: Recovery): Bytes20 | null {
    for (;;) {
      const state = Atomics.load(this.#states, index)
      if (state === VALID) return this.#sender(index).slice()
      if (state === INVALID) return null
      if (state === FREE ? this.#claim(index) : !this.recoverNext(crypto) && this.#isAbandoned(index)) this.#recover(index, crypto)
    }
  }

  #claim(index: number): boolean {
    return Atomics.compareExchange(this.#states, index, FREE, CLAIMED) === FREE
  }

  #isAbandoned(index: number): boolean {
    return Atomics.wait(this.#states, index, CLAIMED, CLAIM_MS) === 'timed-out'
  }

  #recover(index: number, crypto: Recovery): void {
    const raw = this.#raw.slice(index === 0 ? 0 : (this.#ends[index - 1] as number), this.#ends[index])
    const sender = recoverSender(decodeSignedTransaction(raw), crypto, this.#lowSignatures)
    if (sender !== null) this.#sender(index).set(sender)
    Atomics.store(this.#states, index, sender === null ? INVALID : VALID)
    Atomics.notify(this.#states, index)
  }

  #sender(index: number): Uint8Array {
    return this.#senders.subarray(index * SENDER_BYTES, (index + 1) * SENDER_BYTES)
  }
}
