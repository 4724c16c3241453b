/** Where executions are kept. Each call is one step that happens wholly or not at all, whichever process makes it. */
import type { Address } from '@keelson/primitives'
import type { Decimal } from '../../market/decimal.ts'
import type { ExecutionRecord } from './record.ts'

export interface SpendGuard {
  readonly maxUsd: Decimal
  /** What was reserved from this time on counts. */
  readonly sinceMs: number
}

/**
 * `stale`: another version is there. `wallet-busy`: another execution of this wallet on this chain is signed and not
 * finished, or was signed since `after`. `over-cap`: with what others reserved it would be more than the guard allows.
 * Nothing is written then.
 */
export type SaveOutcome = 'saved' | 'stale' | 'wallet-busy' | 'over-cap'

export interface ExecutionStore {
  /** Writes a first version, unless this user's key is held by one that is not finished or was created after `keyHeldSinceMs`: then that one. */
  open(record: ExecutionRecord, keyHeldSinceMs: number): Promise<ExecutionRecord>
  /** The execution stored under this user's key; null when there is none or it has expired. */
  holder(userId: number, idempotencyKey: string, keyHeldSinceMs: number): Promise<ExecutionRecord | null>
  get(id: string): Promise<ExecutionRecord | null>
  /**
   * Durable when it resolves. Replaces version `record.version - 1`. A first signing says which execution `lastSigned` gave
   * when its nonces were chosen (null: none): another may have taken them and be finished since.
   */
  save(record: ExecutionRecord, guard?: SpendGuard, after?: string | null): Promise<SaveOutcome>
  /** Accepted or signed, oldest first. */
  unfinished(limit: number): Promise<readonly ExecutionRecord[]>
  /** The one signed last for this wallet on this chain, finished or not. */
  lastSigned(wallet: Address, chainId: number): Promise<ExecutionRecord | null>
  /** Reserved since then, refused and failed ones not counted, without this one. */
  spentUsd(wallet: Address, sinceMs: number, exceptId: string): Promise<Decimal>
  /** Fees of what was mined of executions since then, whether they traded or failed. */
  gasSpentWei(wallet: Address, chainId: number, sinceMs: number): Promise<bigint>
}
