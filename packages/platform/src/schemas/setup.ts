import { z } from 'zod'

const Address = z.string().meta({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })

export const ListedToken = z
  .object({
    address: Address.describe('Value for token_in_address and token_out_address'),
    symbol: z.string(),
    decimals: z.int(),
    native: z.boolean().describe('Native token of the chain'),
    priced: z.boolean().describe('True if a feed prices the token, which trades require'),
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
            .describe('Null when the chain has no exchange'),
          price_pairs: z.array(z.string()).meta({ description: 'Pairs of its price feeds', example: ['ETH/USD'] }),
          tokens: z.array(ListedToken).nullable().describe('Native token first; null when the chain is unavailable'),
        }),
      )
      .describe('The first is the default'),
  })
  .meta({ id: 'ChainList' })
export type ChainList = z.infer<typeof ChainList>

const Allowed = z.array(Address)

export const WalletList = z
  .object({
    wallets: z
      .array(
        z.object({
          wallet_ref: z.string().meta({ description: 'Value for executions', example: 'devnet' }),
          chain_id: z.int(),
          address: Address,
          shared: z.boolean().describe('True if all users of this server trade with it'),
          limits: z.object({
            enabled: z.boolean(),
            max_trade_usd: z.string(),
            max_daily_usd: z.string().describe('Limit per 24 hours over all users of the wallet'),
            max_slippage_bps: z.int(),
            max_loss_bps: z.int().describe('Largest loss of the minimum output against the input, at feed prices'),
            tokens: Allowed,
            contracts: Allowed,
          }),
        }),
      )
      .describe('Empty when this user has none'),
  })
  .meta({ id: 'WalletList' })
export type WalletList = z.infer<typeof WalletList>
