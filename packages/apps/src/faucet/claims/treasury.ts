import type { Address } from '@keelson/primitives'
import type { Payable } from './recipient.ts'

/** The account that pays claims. */
export interface Treasury {
  readonly address: Address
  readonly balanceWei: bigint | null
  trouble(): { readonly reason: string } | null
  /** Throws ClientError. */
  payable(to: Address): Promise<Payable>
}
