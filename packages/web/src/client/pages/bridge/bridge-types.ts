/** Answers of the bridge service that the pages read. Amounts are decimal text, times RFC 3339. */
interface NextAction<C extends string> {
  readonly code: C
  readonly text: string
}

export interface DepositStatus {
  readonly state: 'pending' | 'relaying' | 'complete' | 'failed'
  readonly l1TxHash: string
  readonly l1: { readonly status: 'pool' | 'included' | 'reverted' | 'missing'; readonly blockNumber: number | null }
  readonly l2TxHash: string | null
  readonly l2BlockNumber: number | null
  readonly deposits: readonly {
    readonly amount: string
    readonly recipient: string | null
    readonly token: { readonly l1: string; readonly l2: string } | null
  }[]
  readonly submittedAt: string
  readonly estimatedCompletionTime: string | null
  readonly reason: { readonly text: string } | null
  readonly stuckReason: string | null
  readonly nextAction: NextAction<'none' | 'wait' | 'resend' | 'replay' | 'check-transaction' | 'ask-operator'>
  readonly stale: string | null
}

export type WithdrawalState = 'failed' | 'waiting-to-prove' | 'ready-to-prove' | 'waiting-to-finalize' | 'ready-to-finalize' | 'finalized'

export interface WithdrawalStatus {
  readonly status: WithdrawalState
  readonly withdrawalHash: string | null
  readonly l2BlockNumber: number | null
  readonly value: string | null
  readonly text: string
  readonly nextStepTime: string | null
  readonly nextAction: NextAction<'wait' | 'prove' | 'finalize' | 'none'>
}

export interface WithdrawalsStatus {
  readonly l2TxHash: string
  readonly status: WithdrawalState
  readonly withdrawals: readonly WithdrawalStatus[]
}
