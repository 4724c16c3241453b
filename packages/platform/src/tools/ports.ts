/** Ports of the tools beside the chains. */
import type { Address, Hash } from '@keelson/primitives'
import type { ToolOutcome } from '../market/tool-outcome.ts'

export interface DepositStatus {
  readonly state: string
  readonly l1_tx_hash: string
  readonly l1_status: string
  readonly l1_block_number: number | null
  readonly l1_confirmations: number
  readonly l2_tx_hash: string | null
  readonly l2_block_number: number | null
  readonly estimated_completion_time: string | null
  /** The fault; null without one. */
  readonly reason: string | null
  /** Advice for the depositor. */
  readonly next_action: string
  readonly as_of: string
  /** The source that failed, so that this is the last known state. */
  readonly stale: string | null
  readonly source: string
}

/** Throws SourceError. */
export interface DepositStatusSource {
  status(l1TxHash: Hash, signal?: AbortSignal): Promise<ToolOutcome<DepositStatus>>
}

export interface WalletName {
  readonly walletRef: string
  readonly address: Address
  readonly chainId: number
  /** Shared by all users. */
  readonly shared: boolean
}

/** The configured wallets of a user. */
export interface WalletDirectory {
  list(userId: number): Promise<readonly WalletName[]>
}
