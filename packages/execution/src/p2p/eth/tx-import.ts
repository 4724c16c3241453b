import { type Clock, CodecError, decodeTransaction, isSigned, keccak256Hash, TX_BLOB } from '@keelson/primitives'
import { createTokenBucket, createTurnTaker, type TokenBucket } from '@keelson/runtime'
import type { TxPool } from '../../txpool/tx-pool.ts'

/** Milliseconds of the thread that the transactions of one peer may take. */
const BUDGET = { perSec: 100, burst: 2_000 }
/** Beyond these, what arrives is dropped. */
const MAX_WAITING = 8_192
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** The pool takes no larger ones, so they are not decoded. */
const MAX_TRANSACTION_BYTES = 128 * 1024

export interface TxImportDependencies {
  readonly pool: Pick<TxPool, 'add' | 'find'>
  readonly clock: Clock
  /** For a transaction that no honest peer sends. */
  onBreach(detail: string): void
}

/** Adds the transactions of one peer to the pool, in their order, as fast as its budget allows. */
export class TxImport {
  readonly #deps: TxImportDependencies
  readonly #budget: TokenBucket
  readonly #waiting: Uint8Array[] = []
  readonly #stopped = new AbortController()
  #bytes = 0
  #running = false

  constructor(deps: TxImportDependencies) {
    this.#deps = deps
    this.#budget = createTokenBucket(BUDGET, deps.clock)
  }

  add(encoded: readonly Uint8Array[]): void {
    for (const raw of encoded) {
      if (raw.length > MAX_TRANSACTION_BYTES) continue
      if (this.#waiting.length >= MAX_WAITING || this.#bytes + raw.length > MAX_WAITING_BYTES) break
      // a copy, so that the message is not kept
      this.#waiting.push(Uint8Array.from(raw))
      this.#bytes += raw.length
    }
    if (!this.#running) void this.#work()
  }

  stop(): void {
    this.#stopped.abort()
    this.#waiting.length = 0
  }

  async #work(): Promise<void> {
    const { clock } = this.#deps
    const turn = createTurnTaker()
    this.#running = true
    for (let raw = this.#waiting.shift(); raw !== undefined; raw = this.#waiting.shift()) {
      this.#bytes -= raw.length
      const startMs = clock.monotonicMs()
      await this.#import(raw)
      await turn()
      await this.#budget.take(clock.monotonicMs() - startMs, this.#stopped.signal).catch(() => undefined)
    }
    this.#running = false
  }

  async #import(raw: Uint8Array): Promise<void> {
    const { pool, onBreach } = this.#deps
    if (pool.find(keccak256Hash(raw)) !== null) return
    try {
      const tx = decodeTransaction(raw)
      if (!isSigned(tx) || tx.type === TX_BLOB) return onBreach(`transaction of type ${tx.type}, which is not sent between peers`)
      const verdict = await pool.add(tx, 'peer')
      if (verdict.kind === 'rejected' && verdict.reason === 'invalid-sender') onBreach('transaction with an invalid signature')
    } catch (error) {
      // a pool that cannot write its journal has reported it
      if (error instanceof CodecError) onBreach(`unreadable transaction: ${error.message}`)
    }
  }
}
