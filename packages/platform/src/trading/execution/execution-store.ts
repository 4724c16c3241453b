/** Port for stored executions. Each call is atomic, also between processes. */
import type { Address } from '@keelson/primitives'
import type { Decimal } from '../../market/decimal.ts'
import type { ExecutionRecord } from './record.ts'

export interface SpendGuard {
  readonly maxUsd: Decimal
  /** Reservations from this time on count. */
  readonly sinceMs: number
}

/**
 * `stale`: the stored version differs. `wallet-busy`: another execution of this wallet and chain is signed and unfinished,
 * or was signed since `after`. `over-cap`: the reservation would exceed the guard. In these cases nothing is written.
 */
export type SaveOutcome = 'saved' | 'stale' | 'wallet-busy' | 'over-cap'

export interface ExecutionStore {
  /**
   * Writes the first version. If this user's key belongs to an execution that is unfinished or was created after
   * `keyHeldSinceMs`, returns that one instead.
   */
  open(record: ExecutionRecord, keyHeldSinceMs: number): Promise<ExecutionRecord>
  /** Returns the execution that holds this user's key; null when there is none or the key has expired. */
  holder(userId: number, idempotencyKey: string, keyHeldSinceMs: number): Promise<ExecutionRecord | null>
  get(id: string): Promise<ExecutionRecord | null>
  /**
   * Durable when it resolves. Replaces version `record.version - 1`. A first signing passes as `after` the id that
   * `lastSigned` returned when its nonces were chosen (null: none), because another process may have used them since.
   */
  save(record: ExecutionRecord, guard?: SpendGuard, after?: string | null): Promise<SaveOutcome>
  /** Accepted or signed executions, oldest first. */
  unfinished(limit: number): Promise<readonly ExecutionRecord[]>
  /** The execution signed last for this wallet and chain, finished or not. */
  lastSigned(wallet: Address, chainId: number): Promise<ExecutionRecord | null>
  /** US dollars reserved since `sinceMs`, without refused and failed executions and without `exceptId`. */
  spentUsd(wallet: Address, sinceMs: number, exceptId: string): Promise<Decimal>
  /** Fees of all mined transactions since `sinceMs`, whether they traded or failed. */
  gasSpentWei(wallet: Address, chainId: number, sinceMs: number): Promise<bigint>
}
