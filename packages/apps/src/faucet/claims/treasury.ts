import type { Address } from '@keelson/primitives'
import type { Payable } from './recipient.ts'

/** The account that pays claims. */
export interface Treasury {
  readonly address: Address
  /** Null before the node's first response. */
  readonly balanceWei: bigint | null
  /** Null when payments are possible. */
  trouble(): { readonly reason: string } | null
  /** Throws ClientError. */
  payable(to: Address): Promise<Payable>
}
