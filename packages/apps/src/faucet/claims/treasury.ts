import type { Address } from '@keelson/primitives'
import type { Payable } from './recipient.ts'

export interface Treasury {
  readonly address: Address
  readonly balanceWei: bigint | null
  trouble(): { readonly reason: string } | null
  payable(to: Address): Promise<Payable>
}
