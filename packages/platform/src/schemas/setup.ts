/** What the operator configured: chains with their tokens, and the caller's wallets with what each may do. */
import { z } from 'zod'

const Address = z.string().meta({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })

export const ListedToken = z
  .object({
    address: Address.describe('For token_in_address and token_out_address'),
    symbol: z.string(),
    decimals: z.int(),
    native: z.boolean().describe("The chain's own coin"),
    priced: z.boolean().describe('A feed prices it; nothing else can be traded'),
  })
  .meta({ id: 'ListedToken' })

export const ChainList = z
  .object({
    chains: z
      .array(
        z.object({
          chain_id: z.int(),
          name: z.string(),
          other_names: z.array(z.string()),
          exchange: z
            .object({ venue: z.string(), factory: Address, router: Address, fee_bps: z.int() })
            .nullable()
            .describe('Null: nothing can be traded there'),
          price_pairs: z.array(z.string()).meta({ description: 'Of its feeds', example: ['ETH/USD'] }),
          tokens: z.array(ListedToken).nullable().describe('The native coin first; null where the chain does not answer now'),
        }),
      )
      .describe('The first is meant where a request names none'),
  })
  .meta({ id: 'ChainList' })
export type ChainList = z.infer<typeof ChainList>

const Allowed = z.array(Address)

export const WalletList = z
  .object({
    wallets: z
      .array(
        z.object({
          wallet_ref: z.string().meta({ description: 'For executions', example: 'devnet' }),
          chain_id: z.int(),
          address: Address,
          shared: z.boolean().describe('Every user of this server trades with it'),
          limits: z.object({
            enabled: z.boolean(),
            max_trade_usd: z.string(),
            max_daily_usd: z.string().describe('Of any 24 hours, over all users of the wallet'),
            max_slippage_bps: z.int(),
            max_loss_bps: z.int().describe("What the least output may be worth less than what is paid, at the feeds' prices"),
            tokens: Allowed,
            contracts: Allowed,
          }),
        }),
      )
      .describe('Empty when the operator set up none for this user'),
  })
  .meta({ id: 'WalletList' })
export type WalletList = z.infer<typeof WalletList>
