import { z } from 'zod'
import { EvmAddress } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'

export const WalletBalanceRequest = z
  .object({
    address: EvmAddress,
    chain: optional(z.string().min(1).max(64)).describe("Name or id of a chain. Default: the platform's chain"),
  })
  .meta({ id: 'WalletBalanceRequest', example: EXAMPLES.walletBalance })
export type WalletBalanceRequest = z.infer<typeof WalletBalanceRequest>

const Usd = z.string().nullable().describe('USD; null without a price')

export const WalletBalance = z
  .object({
    address: z.string(),
    balance: z.string().describe('Balance of the native token in whole units'),
    balance_usd: Usd,
    chain_id: z.int(),
    tokens: z
      .array(z.object({ address: z.string(), symbol: z.string(), balance: z.string(), balance_usd: Usd }))
      .describe('Known tokens with a balance'),
  })
  .meta({ id: 'WalletBalance' })
export type WalletBalance = z.infer<typeof WalletBalance>
