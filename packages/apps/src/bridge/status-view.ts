import { type Address, counted, type Hash } from '@keelson/primitives'
import { explainBelowMinimum } from './explain.ts'
import type { L2Snapshot } from './ports.ts'
import { type BridgeState, type DepositRecord, type Reason, stateOfDeposit, stateOfRecord, type TransactionRecord } from './record.ts'

export const STUCK_AFTER_MS = 30 * 60_000

export type ActionCode = 'none' | 'wait' | 'resend' | 'replay' | 'check-transaction' | 'ask-operator'

export interface NextAction {
  readonly code: ActionCode
  readonly text: string
}

export interface DepositView {
  readonly state: BridgeState
  readonly kind: DepositRecord['kind']
  readonly l2TxHash: Hash
  readonly sender: Address
  readonly recipient: Address | null
  readonly amount: string
  readonly token: { readonly l1: Address; readonly l2: Address } | null
  readonly mint: string
  readonly gasLimit: string
  readonly l1LogIndex: number
  readonly messageHash: Hash | null
  readonly l2: {
    readonly blockNumber: number
    readonly blockHash: Hash
    readonly succeeded: boolean
    readonly gasUsed: string
    readonly safe: boolean
    readonly finalized: boolean
  } | null
  readonly reason: Reason | null
  readonly replayable: boolean
}

export interface StatusView {
  readonly state: BridgeState
  readonly l1TxHash: Hash
  readonly l1: {
    readonly status: 'pool' | 'included' | 'reverted' | 'missing'
    readonly blockNumber: number | null
    readonly blockHash: Hash | null
    readonly timestamp: string | null
    readonly confirmations: number
    readonly finalized: boolean
    readonly reorged: boolean
  }
  readonly l2TxHash: Hash | null
  readonly l2TxHashes: readonly Hash[]
  readonly l2BlockNumber: number | null
  readonly deposits: readonly DepositView[]
  readonly submittedAt: string
  readonly estimatedCompletionTime: string | null
  readonly reason: Reason | null
  readonly stuck: boolean
  readonly stuckReason: string | null
  readonly nextAction: NextAction
  readonly asOf: string
  readonly stale: string | null
}

export interface ViewContext {
  readonly nowMs: number
  readonly l1Head: number | null
  readonly l1Finalized: number | null
  readonly snapshot: L2Snapshot | null
  readonly estimatedMs: number | null
  readonly stale: string | null
}

export function statusView(record: TransactionRecord, context: ViewContext): StatusView {
  const state = stateOfRecord(record)
  const { block } = record
  const moving = state === 'pending' || state === 'relaying'
  const overtaken = record.pool?.overtaken === true
  const stuck = moving && (overtaken || context.nowMs - record.submittedMs >= STUCK_AFTER_MS)
  const deposits = record.deposits.map(depositView)
  return {
    state,
    l1TxHash: record.txHash,
    l1: {
      status:
        block === null
          ? record.pool?.missing === true || record.pool === null
            ? 'missing'
            : 'pool'
          : isReverted(record)
            ? 'reverted'
            : 'included',
      blockNumber: block?.number ?? null,
      blockHash: block?.hash ?? null,
      timestamp: block === null ? null : isoTime(block.timestampSec * 1000),
      confirmations: block === null ? 0 : Math.max(1, (context.l1Head ?? block.number) - block.number + 1),
      finalized: block !== null && (context.l1Finalized ?? -1) >= block.number,
      reorged: record.reorged,
    },
    l2TxHash: deposits[0]?.l2TxHash ?? null,
    l2TxHashes: deposits.map(({ l2TxHash }) => l2TxHash),
    l2BlockNumber: deposits.find(({ l2 }) => l2 !== null)?.l2?.blockNumber ?? null,
    deposits,
    submittedAt: isoTime(record.submittedMs),
    estimatedCompletionTime: context.estimatedMs === null ? null : isoTime(context.estimatedMs),
    reason:
      record.reason ??
      (deposits.find(({ state: its }) => its === 'failed') ?? deposits.find(({ reason }) => reason !== null))?.reason ??
      null,
    stuck,
    stuckReason: stuck ? whyStuck(record, state, context) : null,
    nextAction: nextAction(record, state, stuck),
    asOf: isoTime(context.nowMs),
    stale: context.stale,
  }
}

function depositView(deposit: DepositRecord): DepositView {
  const { inclusion } = deposit
  const replayable = inclusion?.messageFailed === true && !inclusion.replayed
  return {
    state: stateOfDeposit(deposit),
    kind: deposit.kind,
    l2TxHash: deposit.l2TxHash,
    sender: deposit.sender,
    recipient: deposit.recipient,
    amount: deposit.amount,
    token: deposit.token,
    mint: deposit.mintWei,
    gasLimit: deposit.gasLimit,
    l1LogIndex: deposit.logIndex,
    messageHash: deposit.messageHash,
    l2:
      inclusion === null
        ? null
        : {
            blockNumber: inclusion.number,
            blockHash: inclusion.hash,
            succeeded: inclusion.succeeded,
            gasUsed: inclusion.gasUsed,
            safe: inclusion.safe,
            finalized: inclusion.final,
          },
    reason: failureOf(deposit) ?? explainBelowMinimum(deposit),
    replayable,
  }
}

function failureOf({ inclusion }: DepositRecord): Reason | null {
  return inclusion === null || (inclusion.messageFailed && inclusion.replayed) ? null : inclusion.reason
}

function isReverted({ reason }: TransactionRecord): boolean {
  return reason !== null && reason.code !== 'no-deposit'
}

function nextAction(record: TransactionRecord, state: BridgeState, stuck: boolean): NextAction {
  if (state === 'complete') return { code: 'none', text: 'the funds are on L2' }
  if (record.reason !== null) return actionOnL1(record.reason)
  if (state === 'failed') {
    const replayable = record.deposits.some(({ inclusion }) => inclusion?.messageFailed === true && !inclusion.replayed)
    if (replayable)
      return { code: 'replay', text: 'replay the message: call relayMessage of the L2 messenger with the same arguments and more gas' }
    return {
      code: 'check-transaction',
      text: 'the deposit is settled and will not be retried: see the reason; minted funds are on L2, and a new deposit needs other arguments or more gas',
    }
  }
  if (record.pool?.overtaken === true) {
    return {
      code: 'resend',
      text: 'another transaction of this account has the same nonce: find it, and send the deposit again if it is not the deposit',
    }
  }
  if (record.block === null && stuck) {
    return { code: 'resend', text: 'replace the transaction by one of the same nonce with a higher fee' }
  }
  return stuck
    ? { code: 'ask-operator', text: 'the deposit is safe on L1 and L2 must include it; contact the operator' }
    : { code: 'wait', text: 'wait' }
}

function actionOnL1({ code }: Reason): NextAction {
  switch (code) {
    case 'no-deposit':
      return {
        code: 'check-transaction',
        text: 'check that this is the hash of the deposit, and that it was sent to the bridge or the portal of this chain',
      }
    case 'below-minimum':
      return { code: 'resend', text: 'send the deposit again with at least the minimum' }
    case 'l1-out-of-gas':
      return { code: 'resend', text: 'send the deposit again with a higher gas limit' }
    default:
      return { code: 'resend', text: 'correct what the reason says and send the deposit again' }
  }
}

function whyStuck(record: TransactionRecord, state: BridgeState, { nowMs, snapshot, stale }: ViewContext): string {
  const minutes = counted(Math.floor((nowMs - record.submittedMs) / 60_000), 'minute')
  if (stale !== null) return `${minutes}; ${stale}`
  if (record.block === null) {
    if (record.pool?.overtaken === true)
      return 'the account has sent another transaction with this nonce, so this one can no longer be included'
    if (record.reorged) return `an L1 reorg removed its block ${minutes} ago and has not included it again`
    return record.pool?.missing === true
      ? `L1 has not included it for ${minutes}, and the node no longer has it in its pool`
      : `L1 has not included it for ${minutes}: its fee may be too low, or an earlier transaction of the account is missing`
  }
  const heads =
    snapshot === null ? 'L2 has not responded yet' : `L2 is at block ${snapshot.unsafe.number}, safe at ${snapshot.safe?.number ?? 'none'}`
  if (state === 'pending') {
    const origin = snapshot?.origin ?? null
    if (origin === null) return `${minutes}; ${heads}`
    return origin.number < record.block.number
      ? `L2 has adopted L1 only up to block ${origin.number}, the deposit is in ${record.block.number}: the sequencer or its L1 node lags (${heads})`
      : `L2 has adopted L1 block ${origin.number}, but the node does not show the deposit of block ${record.block.number}: it may follow another L1 chain (${heads})`
  }
  const safe = snapshot?.safe ?? null
  return `it is included, but its block is not safe after ${minutes}: the batcher has not put it on L1 (${heads}${safe === null ? '' : `, safe head ${counted(Math.floor((nowMs / 1000 - safe.timestampSec) / 60), 'minute')} old`})`
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
