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
  readonly text: string
}

export interface DepositInclusion {
  readonly number: number
  readonly hash: Hash
  readonly succeeded: boolean
  readonly gasUsed: string
  readonly messageFailed: boolean
  readonly safe: boolean
  readonly final: boolean
  readonly reason: Reason | null
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
  readonly submittedMs: number
  readonly block: RecordBlock | null
  readonly reason: Reason | null
  readonly deposits: readonly DepositRecord[]
  readonly reorged: boolean
  readonly pool: {
    readonly from: Address
    readonly nonce: string
    readonly valueWei: string
    readonly missing: boolean
    readonly overtaken: boolean
  } | null
}

export type BridgeState = 'pending' | 'relaying' | 'complete' | 'failed'

/** A failed message stays `failed` until it is replayed. */
export function stateOfDeposit({ inclusion }: DepositRecord): BridgeState {
  if (inclusion === null) return 'pending'
  if (!inclusion.safe) return 'relaying'
  return inclusion.succeeded && (!inclusion.messageFailed || inclusion.replayed) ? 'complete' : 'failed'
}

/** The state is that of the least advanced deposit. */
export function stateOfRecord(record: TransactionRecord): BridgeState {
  if (record.reason !== null) return 'failed'
  const states = record.deposits.map(stateOfDeposit)
  if (states.length === 0) return 'pending'
  return (['pending', 'relaying', 'failed'] as const).find((state) => states.includes(state)) ?? 'complete'
}

/** Only a replay can still change the record. */
export function isFinal(record: TransactionRecord): boolean {
  return record.deposits.length > 0 && record.deposits.every(({ inclusion }) => inclusion?.final === true)
}

export function encodeRecord(record: TransactionRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record))
}

export function decodeRecord(bytes: Uint8Array): TransactionRecord {
  return JSON.parse(new TextDecoder().decode(bytes)) as TransactionRecord
}
