/** Positions, trades, wallet snapshots and metrics as the interface shows them. Numbers here are decimals inside. */

import { z } from 'zod'
import { ChainId, EvmAddress } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { Instant } from './instant.ts'

const MAX_HOLDINGS = 500
const MAX_POSITIONS = 1_000
const MAX_USD = 1e18
const MAX_QUANTITY = 1e30

const Agent = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'Whose trades, a name of your choice; trades made here are of `trading`', example: 'trading' })
const TokenSymbol = z.string().min(1).max(64).meta({ example: 'ETH' })
const Usd = z.number().min(0).max(MAX_USD).describe('Dollars')
const TradeAmount = z
  .string()
  .regex(/^\d{1,30}(\.\d{1,36})?$/, 'Value should be a decimal number without sign or exponent')
  .refine((text) => /[1-9]/.test(text), 'Value should be greater than 0')
  .meta({ example: '1.5' })
const Timestamp = z.iso.datetime()

export const Position = z
  .object({
    id: z.int(),
    agent: z.string(),
    wallet_address: z.string(),
    chain_id: z.int(),
    token_address: z.string(),
    token_symbol: z.string(),
    quantity: z.number(),
    cost_basis_usd_per_unit: z.number().describe('Average cost; 0 for a closed position'),
    realized_pnl_usd: z.number(),
    last_price_usd: z.number(),
    market_value_usd: z.number(),
    unrealized_pnl_usd: z.number(),
    updated_at: Timestamp,
  })
  .meta({ id: 'Position' })
export type Position = z.infer<typeof Position>

export const PositionsQuery = z.object({
  agent: Agent.optional(),
  wallet_address: EvmAddress.optional().describe('Of one wallet only'),
  limit: z.int().min(1).max(MAX_POSITIONS).optional().describe('500 when left out'),
  offset: z.int().min(0).max(1_000_000).optional().describe('Positions to pass over'),
})

export const MarkRequest = z
  .object({ agent: Agent, chain: z.string().min(1).max(64).describe('Name or id') })
  .meta({ id: 'MarkToMarketRequest', example: EXAMPLES.mark })

export const MarkResult = z
  .object({
    agent: z.string(),
    chain: z.string(),
    chain_id: z.int(),
    marked: z.int().describe('Positions that have a new price'),
    unpriced: z.array(z.string()).describe('Addresses of tokens without a price now: their positions keep the last one; at most 100'),
    market_value_usd: z.number().describe('Of all positions of the agent on the chain'),
    unrealized_pnl_usd: z.number(),
    marked_at: Timestamp,
  })
  .meta({ id: 'MarkToMarketResult' })

export const SnapshotRequest = z
  .object({
    agent: Agent,
    wallet_address: EvmAddress,
    chain_id: ChainId,
    holdings: z
      .array(
        z.object({
          token_address: EvmAddress,
          token_symbol: TokenSymbol,
          quantity: z.number().min(0).max(MAX_QUANTITY).describe('Whole tokens'),
          usd_value: Usd,
        }),
      )
      .max(MAX_HOLDINGS)
      .describe('What the wallet holds, each token once'),
  })
  .meta({ id: 'WalletSnapshotRequest', example: EXAMPLES.snapshot })
export type SnapshotRequest = z.infer<typeof SnapshotRequest>

export const SnapshotResult = z
  .object({
    id: z.int(),
    agent: z.string(),
    wallet_address: z.string(),
    chain_id: z.int(),
    holdings: z.int().describe('How many'),
    total_usd: z.number(),
    taken_at: Timestamp,
  })
  .meta({ id: 'WalletSnapshotResult' })
export type SnapshotResult = z.infer<typeof SnapshotResult>

export const TRADE_STATUSES = ['success', 'pending', 'failed'] as const

export const TradeRequest = z
  .object({
    agent: Agent,
    wallet_address: EvmAddress,
    chain_id: ChainId,
    venue: z.string().min(1).max(100).meta({ description: 'Where it was traded', example: 'uniswap-v2' }),
    token_in_address: EvmAddress.describe('What was sold'),
    token_out_address: EvmAddress.describe('What was bought'),
    token_in_symbol: TokenSymbol,
    token_out_symbol: TokenSymbol,
    amount_in: TradeAmount,
    amount_out: TradeAmount,
    amount_in_usd: Usd,
    amount_out_usd: Usd,
    price_in_usd_per_unit: Usd.optional().describe('amount_in_usd / amount_in when left out'),
    price_out_usd_per_unit: Usd.optional().describe('amount_out_usd / amount_out when left out'),
    fees_usd: Usd.optional().describe('0 when left out; part of the cost of what was bought'),
    status: z.enum(TRADE_STATUSES).optional().describe('success when left out; no other moves positions'),
    simulated: z.boolean().optional().describe('false when left out; simulated trades move nothing'),
    tx_hash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'Value should be a transaction hash: 0x and 64 hex digits')
      .nullish()
      .describe('With it a trade counts once however often it is sent'),
  })
  .refine((trade) => trade.token_in_address.toLowerCase() !== trade.token_out_address.toLowerCase(), {
    message: 'a trade is of two tokens',
    path: ['token_out_address'],
  })
  .meta({ id: 'TradeRecordRequest', example: EXAMPLES.trade })
export type TradeRequest = z.infer<typeof TradeRequest>

export const TradeResult = z
  .object({
    id: z.int(),
    status: z.enum(TRADE_STATUSES),
    simulated: z.boolean(),
    tx_hash: z.string().nullable(),
    realized_pnl_usd: z.number(),
    duplicate: z.boolean().describe('It was recorded before, and nothing moved now'),
    recorded_at: Timestamp,
  })
  .meta({ id: 'TradeRecordResult' })
export type TradeResult = z.infer<typeof TradeResult>

export const WindowQuery = z.object({
  start: Instant.optional().describe('From here on'),
  end: Instant.optional().describe('Until before this'),
  agent: Agent.optional(),
})
export const AgentQuery = z.object({ agent: Agent.optional() })
export const TvlQuery = z.object({
  mode: z.enum(['agents', 'defidata']).describe('Of wallets that agents sent snapshots of, or of a chain'),
  agent: Agent.optional().describe('Of mode agents'),
  chain: z.string().min(1).max(64).optional().describe('Of mode defidata'),
})

const ByAgent = z.array(z.object({ key: z.string(), value: z.number() })).describe('The largest first, at most 1,000; totals are of all')

export const Volume = z.object({ total_volume_usd: z.number(), by_agent: ByAgent }).meta({ id: 'Volume' })
export const Pnl = z.object({ realized_pnl_usd: z.number(), by_agent: ByAgent }).meta({ id: 'Pnl' })
export const UnrealizedPnl = z.object({ unrealized_pnl_usd: z.number(), by_agent: ByAgent }).meta({ id: 'UnrealizedPnl' })
export const Tvl = z
  .object({
    tvl_usd: z.number(),
    mode: z.enum(['agents', 'defidata']),
    by_agent: ByAgent.optional().describe('Of mode agents'),
    chain: z.string().optional().describe('Of mode defidata, as the next three'),
    complete: z.boolean().optional().describe('False when something without a price is left out'),
    as_of: Timestamp.nullable().optional(),
    source: z.string().optional(),
  })
  .meta({ id: 'Tvl' })
