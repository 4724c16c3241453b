import { z } from 'zod'
import { ChainId, EvmAddress, PositiveDecimalText } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'
import { Instant } from './instant.ts'

const MAX_HOLDINGS = 500
const MAX_POSITIONS = 1_000
const MAX_USD = 1e18
const MAX_QUANTITY = 1e30

const Agent = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'Name that groups trades, chosen by the caller. Executions use `trading`', example: 'trading' })
const TokenSymbol = z.string().min(1).max(64).meta({ example: 'ETH' })
const Usd = z.number().min(0).max(MAX_USD).describe('USD')
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
    cost_basis_usd_per_unit: z.number().describe('Average cost in USD; 0 for a closed position'),
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
  wallet_address: EvmAddress.optional().describe('Only this wallet'),
  limit: z.int().min(1).max(MAX_POSITIONS).optional().describe('Default: 500'),
  offset: z.int().min(0).max(1_000_000).optional().describe('Positions to skip'),
})

export const MarkRequest = z
  .object({ agent: Agent, chain: z.string().min(1).max(64).describe('Name or id') })
  .meta({ id: 'MarkToMarketRequest', example: EXAMPLES.mark })

export const MarkResult = z
  .object({
    agent: z.string(),
    chain: z.string(),
    chain_id: z.int(),
    marked: z.int().describe('Positions with a new price'),
    unpriced: z.array(z.string()).describe('Addresses of tokens without a price, whose positions keep their last one; at most 100'),
    market_value_usd: z.number().describe('Value of all positions of the agent on the chain'),
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
      .describe('Holdings of the wallet, one entry per token'),
  })
  .meta({ id: 'WalletSnapshotRequest', example: EXAMPLES.snapshot })
export type SnapshotRequest = z.infer<typeof SnapshotRequest>

export const SnapshotResult = z
  .object({
    id: z.int(),
    agent: z.string(),
    wallet_address: z.string(),
    chain_id: z.int(),
    holdings: z.int().describe('Number of holdings'),
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
    venue: z.string().min(1).max(100).meta({ description: 'Exchange or protocol', example: 'uniswap-v2' }),
    token_in_address: EvmAddress.describe('Token sold'),
    token_out_address: EvmAddress.describe('Token bought, other than token_in_address'),
    token_in_symbol: TokenSymbol,
    token_out_symbol: TokenSymbol,
    amount_in: PositiveDecimalText,
    amount_out: PositiveDecimalText,
    amount_in_usd: Usd,
    amount_out_usd: Usd,
    price_in_usd_per_unit: optional(Usd).describe('Default: amount_in_usd / amount_in'),
    price_out_usd_per_unit: optional(Usd).describe('Default: amount_out_usd / amount_out'),
    fees_usd: optional(Usd).describe('Part of the cost of the bought token. Default: 0'),
    status: optional(z.enum(TRADE_STATUSES)).describe('Only success changes positions. Default: success'),
    simulated: optional(z.boolean()).describe('Simulated trades do not change positions. Default: false'),
    tx_hash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'Value should be a transaction hash: 0x and 64 hex digits')
      .nullish()
      .describe('Makes repeated requests count once'),
  })
  .refine((trade) => trade.token_in_address.toLowerCase() !== trade.token_out_address.toLowerCase(), {
    message: 'token_in_address and token_out_address must differ',
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
    duplicate: z.boolean().describe('The trade was already recorded, and nothing changed'),
    recorded_at: Timestamp,
  })
  .meta({ id: 'TradeRecordResult' })
export type TradeResult = z.infer<typeof TradeResult>

export const WindowQuery = z.object({
  start: Instant.optional().describe('Inclusive'),
  end: Instant.optional().describe('Exclusive; not before start'),
  agent: Agent.optional(),
})
export const AgentQuery = z.object({ agent: Agent.optional() })
export const TvlQuery = z.object({
  mode: z.enum(['agents', 'defidata']).describe('agents: the wallet snapshots of agents; defidata: a chain'),
  agent: Agent.optional().describe('Only with mode agents'),
  chain: z.string().min(1).max(64).optional().describe('Only with mode defidata'),
})

const ByAgent = z.array(z.object({ key: z.string(), value: z.number() })).describe('Largest first, at most 1,000; totals include all')

export const Volume = z.object({ total_volume_usd: z.number(), by_agent: ByAgent }).meta({ id: 'Volume' })
export const Pnl = z.object({ realized_pnl_usd: z.number(), by_agent: ByAgent }).meta({ id: 'Pnl' })
export const UnrealizedPnl = z.object({ unrealized_pnl_usd: z.number(), by_agent: ByAgent }).meta({ id: 'UnrealizedPnl' })
export const Tvl = z
  .object({
    tvl_usd: z.number(),
    mode: z.enum(['agents', 'defidata']),
    by_agent: ByAgent.optional().describe('In mode agents'),
    chain: z.string().optional().describe('In mode defidata, like complete, as_of and source'),
    complete: z.boolean().optional().describe('False when tokens without a price are not counted'),
    as_of: Timestamp.nullable().optional(),
    source: z.string().optional(),
  })
  .meta({ id: 'Tvl' })
