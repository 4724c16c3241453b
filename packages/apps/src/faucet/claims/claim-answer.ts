import type { Hash } from '@keelson/primitives'
import type { Refused } from './recipient.ts'

export type ClaimRefusal =
  | Refused['reason']
  | 'captcha'
  | 'captcha-unavailable'
  | 'address-limit'
  | 'ip-limit'
  | 'budget-spent'
  | 'idempotency-key'
  | 'busy'
  | 'faucet-empty'
  | 'node-unavailable'
  | 'not-sent'
  | 'under-way'

export interface ClaimPaid {
  readonly ok: true
  readonly txHash: Hash
  readonly amountWei: bigint
  readonly nextClaimAtMs: number
}
export interface ClaimRefused {
  readonly ok: false
  readonly reason: ClaimRefusal
  readonly text: string
  readonly nextClaimAtMs: number
}
export type ClaimAnswer = ClaimPaid | ClaimRefused
