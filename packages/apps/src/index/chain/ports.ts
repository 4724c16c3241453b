import type { Address, Hash, Hex } from '@keelson/primitives'
import type { FollowedChain } from '../follow/follower.ts'

export interface BlockRef {
  readonly number: number
  readonly hash: Hash
}

export interface ChainLog {
  readonly position: number
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

/** Null where the chain's fork or the transaction's type has no such field. */
export interface L1FeeParts {
  readonly l1FeeWei: bigint | null
  readonly l1GasUsed: bigint | null
  readonly l1GasPriceWei: bigint | null
  readonly l1BaseFeeScalar: bigint | null
  readonly l1BlobBaseFeeWei: bigint | null
  readonly l1BlobBaseFeeScalar: bigint | null
  readonly operatorFeeScalar: bigint | null
  readonly operatorFeeConstant: bigint | null
  readonly daFootprintGasScalar: bigint | null
  readonly daFootprint: bigint | null
}

export interface DepositParts {
  readonly sourceHash: Hash
  readonly mintWei: bigint
  readonly isSystem: boolean
  readonly nonce: bigint | null
  readonly version: bigint | null
}

export interface ChainTransaction {
  readonly position: number
  readonly hash: Hash
  readonly type: number
  readonly sender: Address
  readonly recipient: Address | null
  readonly created: Address | null
  readonly nonce: bigint
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly gasPriceWei: bigint
  readonly maxFeeWei: bigint | null
  readonly maxPriorityFeeWei: bigint | null
  readonly succeeded: boolean
  readonly input: Hex
  readonly l1Fee: L1FeeParts
  readonly deposit: DepositParts | null
  readonly logs: readonly ChainLog[]
}

export interface ChainBlock extends BlockRef {
  readonly parentHash: Hash
  readonly timeSec: number
  readonly feeRecipient: Address
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint | null
  readonly sizeBytes: number
  readonly transactions: readonly ChainTransaction[]
}

export interface TokenMetadata {
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
}

export interface IndexedChain extends FollowedChain<ChainBlock> {
  describeToken(token: Address): Promise<TokenMetadata>
}
