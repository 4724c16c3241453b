/** EIP-4895 */
import { type Bytes20, hexToBytes, type Withdrawal } from '@keelson/primitives'
import type { BlockSession } from '../ports.ts'

const WEI_PER_GWEI = 1_000_000_000n
const OMMER_DEPTH_DIVISOR = 8n
const OMMER_INCLUSION_DIVISOR = 32n

export interface Ommer {
  readonly number: number
  readonly feeRecipient: Bytes20
}

export function payWithdrawals(session: BlockSession, withdrawals: readonly Withdrawal[]): void {
  for (const { address, amountGwei } of withdrawals) session.addBalance(hexToBytes(address), amountGwei * WEI_PER_GWEI)
}

export function payRewards(session: BlockSession, rewardWei: bigint, blockNumber: number, ommers: readonly Ommer[]): void {
  if (rewardWei === 0n) return
  for (const ommer of ommers) {
    const depth = BigInt(blockNumber - ommer.number)
    session.addBalance(ommer.feeRecipient, (rewardWei * (OMMER_DEPTH_DIVISOR - depth)) / OMMER_DEPTH_DIVISOR)
  }
  session.addBalance(session.env.feeRecipient, rewardWei + (rewardWei / OMMER_INCLUSION_DIVISOR) * BigInt(ommers.length))
}
