/**
 * What is kept of an L1 transaction and its deposits. Progress is kept too, with the block hash it was seen in: a node
 * that is behind, a fail-over or a restart then never takes back what was said; only another block in the same place does.
 */
import type { Address, Hash } from '@keelson/primitives'
import type { DepositFacts } from './deposit-facts.ts'

export type ReasonCode =
  | 'l1-reverted'
  | 'l1-out-of-gas'
  | 'below-minimum'
  | 'not-from-contract'
  | 'no-deposit'
  | 'l2-out-of-gas'
  | 'l2-reverted'
  | 'message-failed'

export interface Reason {
  readonly code: ReasonCode
  /** In words. */
  readonly text: string
}

/** The L2 block that holds the deposit. */
export interface DepositInclusion {
  readonly number: number
  readonly hash: Hash
  readonly succeeded: boolean
  readonly gasUsed: string
  /** The messenger took the deposit, but the call in the message failed. */
  readonly messageFailed: boolean
  /** Was seen at or below the safe head. */
  readonly safe: boolean
  /** Was seen at or below the finalized head: nothing of it changes any more. */
  readonly final: boolean
  readonly reason: Reason | null
  /** The message was carried out by a later attempt. */
  readonly replayed: boolean
}

export interface DepositRecord extends DepositFacts {
  readonly inclusion: DepositInclusion | null
}

export interface RecordBlock {
  readonly number: number
  readonly hash: Hash
  readonly timestampSec: number
}

export interface TransactionRecord {
  readonly txHash: Hash
  /** Milliseconds: when it was first seen in the pool, or the time of its block. */
  readonly submittedMs: number
  /** Null while it is in no block of L1. */
  readonly block: RecordBlock | null
  /** Why nothing of it goes to L2; null while something does or may. */
  readonly reason: Reason | null
  readonly deposits: readonly DepositRecord[]
  /** A block that L1 took back held it. */
  readonly reorged: boolean
  /** While it is in no block: whose it is, to tell whether another transaction took its place. */
  readonly pool: {
    readonly from: Address
    readonly nonce: string
    readonly valueWei: string
    readonly missing: boolean
    readonly overtaken: boolean
  } | null
}

export type BridgeState = 'pending' | 'relaying' | 'complete' | 'failed'

/** `complete` means that the funds are there: a message whose call failed inside is `failed` until it is replayed. */
export function stateOfDeposit({ inclusion }: DepositRecord): BridgeState {
  if (inclusion === null) return 'pending'
  if (!inclusion.safe) return 'relaying'
  return inclusion.succeeded && (!inclusion.messageFailed || inclusion.replayed) ? 'complete' : 'failed'
}

/**
 * Of several deposits the one that is least far counts: `pending`, then `relaying`; when all are settled, `failed` if one
 * of them is, else `complete`.
 */
export function stateOfRecord(record: TransactionRecord): BridgeState {
  if (record.reason !== null) return 'failed'
  const states = record.deposits.map(stateOfDeposit)
  if (states.length === 0) return 'pending'
  return (['pending', 'relaying', 'failed'] as const).find((state) => states.includes(state)) ?? 'complete'
}

/** Nothing that L1 or L2 can still do changes it, but for a replay. */
export function isFinal(record: TransactionRecord): boolean {
  return record.deposits.length > 0 && record.deposits.every(({ inclusion }) => inclusion?.final === true)
}

export function encodeRecord(record: TransactionRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record))
}

export function decodeRecord(bytes: Uint8Array): TransactionRecord {
  return JSON.parse(new TextDecoder().decode(bytes)) as TransactionRecord
}
