/** What tools ask beside the chains: each port is what is called and no more. Null where the operator gave none. */
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
  /** What is wrong; null when nothing is. */
  readonly reason: string | null
  /** What the depositor may do, in words. */
  readonly next_action: string
  readonly as_of: string
  /** What could not be asked, so that this is what was last seen. */
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
  /** Every user has it. */
  readonly shared: boolean
}

/** The wallets that the operator configured for a user. */
export interface WalletDirectory {
  list(userId: number): Promise<readonly WalletName[]>
}
