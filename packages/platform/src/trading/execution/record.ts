/** All fields are JSON. */
import type { Address, Hash, Hex } from '@keelson/primitives'
import type { ExecutionResult, ExecutionStatus } from '../../schemas/execution.ts'
import type { RiskReport } from '../../schemas/risk.ts'

export type ExecutionState = 'accepted' | 'refused' | 'signed' | 'success' | 'failed'

export interface SignedAttempt {
  readonly hash: Hash
  readonly raw: Hex
  readonly maxFeePerGasWei: string
  readonly maxPriorityFeePerGasWei: string
}

export interface TradeStep {
  readonly purpose: 'approve' | 'swap'
  readonly to: Address
  readonly data: Hex
  readonly valueWei: string
  readonly gasLimit: string
  readonly nonce: string
  /** Oldest first, with one nonce, so at most one is mined. */
  readonly attempts: readonly SignedAttempt[]
}

/** Amounts in smallest units, prices in US dollars. */
export interface TradeTerms {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly symbolIn: string
  readonly symbolOut: string
  readonly decimalsIn: number
  readonly decimalsOut: number
  readonly amountIn: string
  readonly expectedOut: string
  readonly minimumOut: string
  readonly priceInUsd: string
  readonly priceOutUsd: string
  readonly venue: string
  readonly deadlineSec: number
}

export interface Settlement {
  readonly txHash: Hash
  readonly blockNumber: number
  /** Null when the trade failed or the receipt does not show it. */
  readonly amountOut: string | null
  readonly feeWei: string
}

export type RefusalCode =
  | 'input'
  | 'quote-unknown'
  | 'quote-expired'
  | 'quote-other-input'
  | 'quote-reference'
  | 'quote-used'
  | 'quote-moved'
  | 'no-route'
  | 'nothing-out'
  | 'risk'
  | 'threshold'
  | 'policy'
  | 'funds'
  | 'gas-cost'
  | 'simulation'
  | 'interrupted'

export interface Refusal {
  readonly code: RefusalCode
  readonly detail: string
  readonly field: string | null
  readonly rule: string | null
  readonly report: RiskReport | null
  /** Whether the same request can succeed later. Absent in records of older releases. */
  readonly retryable?: boolean
  /** ISO 8601; when it can, if that is known. */
  readonly retryAt?: string
}

export interface ExecutionRecord {
  readonly id: string
  readonly version: number
  readonly userId: number
  readonly sessionId: string
  readonly idempotencyKey: string
  readonly bodyDigest: Hash
  readonly createdAtMs: number
  readonly walletRef: string
  readonly wallet: Address
  readonly chainId: number
  readonly state: ExecutionState
  /** Counts against the daily cap unless refused or failed. */
  readonly reservedUsd: string | null
  readonly terms: TradeTerms | null
  readonly steps: readonly TradeStep[]
  readonly refusal: Refusal | null
  readonly settlement: Settlement | null
  readonly message: string
}

const NEXT_STATES: Readonly<Record<ExecutionState, readonly ExecutionState[]>> = {
  accepted: ['accepted', 'refused', 'signed'],
  signed: ['signed', 'success', 'failed'],
  refused: [],
  success: [],
  failed: [],
}

/** Throws RangeError for a state that may not follow. */
export function advance(record: ExecutionRecord, state: ExecutionState, changes: Partial<ExecutionRecord> = {}): ExecutionRecord {
  if (!NEXT_STATES[record.state].includes(state))
    throw new RangeError(
      `execution ${record.id}: expected one of ${NEXT_STATES[record.state].join(', ')} after ${record.state}, got ${state}`,
    )
  return { ...record, ...changes, state, version: record.version + 1 }
}

export function refusedRecord(record: ExecutionRecord, refusal: Refusal): ExecutionRecord {
  return advance(record, 'refused', { refusal, reservedUsd: null, message: refusal.detail })
}

/** Refusals that only another request or the operator can change. */
const FINAL: ReadonlySet<RefusalCode> = new Set([
  'input',
  'quote-unknown',
  'quote-expired',
  'quote-other-input',
  'quote-reference',
  'quote-used',
  'nothing-out',
])

export function refuse(code: RefusalCode, detail: string, more: Partial<Omit<Refusal, 'code' | 'detail'>> = {}): Refusal {
  return { code, detail, field: null, rule: null, report: null, retryable: !FINAL.has(code), ...more }
}

export function isFinished({ state }: Pick<ExecutionRecord, 'state'>): boolean {
  return NEXT_STATES[state].length === 0
}

/** Throws RangeError for an unsigned record. */
export function swapStep(record: ExecutionRecord): TradeStep {
  const step = record.steps.find(({ purpose }) => purpose === 'swap')
  if (step === undefined) throw new RangeError(`execution ${record.id} has no swap: it is ${record.state}`)
  return step
}

export function resultOf(record: ExecutionRecord, explorerUrl: string | null): ExecutionResult {
  const step = swapStep(record)
  const hash = record.settlement?.txHash ?? step.attempts.at(-1)?.hash
  const status: ExecutionStatus = record.state === 'success' || record.state === 'failed' ? record.state : 'pending'
  return {
    tx: { to: step.to, data: step.data, value: step.valueWei, gas: step.gasLimit },
    ...(hash === undefined ? {} : { tx_hash: hash }),
    explorer_url: explorerUrl === null || hash === undefined ? null : `${explorerUrl.replace(/\/+$/, '')}/tx/${hash}`,
    status,
    message: record.message,
  }
}
