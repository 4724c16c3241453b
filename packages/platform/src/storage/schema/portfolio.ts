/** Quantities and dollars are numeric columns, read as text. */
import { bigint, boolean, index, jsonb, numeric, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { users } from './auth.ts'

const id = () => bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity()
const owner = () =>
  bigint('user_id', { mode: 'number' })
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
const chain = () => bigint('chain_id', { mode: 'number' }).notNull()
const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' }).notNull()

export const trades = pgTable(
  'trades',
  {
    id: id(),
    userId: owner(),
    agent: text('agent').notNull(),
    walletAddress: text('wallet_address').notNull(),
    chainId: chain(),
    venue: text('venue').notNull(),
    tokenInAddress: text('token_in_address').notNull(),
    tokenOutAddress: text('token_out_address').notNull(),
    tokenInSymbol: text('token_in_symbol').notNull(),
    tokenOutSymbol: text('token_out_symbol').notNull(),
    amountIn: numeric('amount_in').notNull(),
    amountOut: numeric('amount_out').notNull(),
    amountInUsd: numeric('amount_in_usd').notNull(),
    amountOutUsd: numeric('amount_out_usd').notNull(),
    priceInUsd: numeric('price_in_usd').notNull(),
    priceOutUsd: numeric('price_out_usd').notNull(),
    feesUsd: numeric('fees_usd').notNull(),
    status: text('status').notNull(),
    simulated: boolean('simulated').notNull(),
    txHash: text('tx_hash'),
    realizedPnlUsd: numeric('realized_pnl_usd').notNull(),
    recordedAt: at('recorded_at'),
  },
  (table) => [
    uniqueIndex('trades_transaction_unique').on(
      table.userId,
      table.chainId,
      table.txHash,
      table.walletAddress,
      table.tokenInAddress,
      table.tokenOutAddress,
      table.simulated,
    ),
    index('trades_user_time_idx').on(table.userId, table.recordedAt),
  ],
)

export const positions = pgTable(
  'positions',
  {
    id: id(),
    userId: owner(),
    agent: text('agent').notNull(),
    walletAddress: text('wallet_address').notNull(),
    chainId: chain(),
    tokenAddress: text('token_address').notNull(),
    tokenSymbol: text('token_symbol').notNull(),
    quantity: numeric('quantity').notNull(),
    costUsd: numeric('cost_usd').notNull(),
    realizedPnlUsd: numeric('realized_pnl_usd').notNull(),
    lastPriceUsd: numeric('last_price_usd').notNull(),
    updatedAt: at('updated_at'),
  },
  (table) => [uniqueIndex('positions_token_unique').on(table.userId, table.agent, table.walletAddress, table.chainId, table.tokenAddress)],
)

export interface StoredHolding {
  readonly token_address: string
  readonly token_symbol: string
  readonly quantity: string
  readonly usd_value: string
}

export const walletSnapshots = pgTable(
  'wallet_snapshots',
  {
    id: id(),
    userId: owner(),
    agent: text('agent').notNull(),
    walletAddress: text('wallet_address').notNull(),
    chainId: chain(),
    holdings: jsonb('holdings').$type<readonly StoredHolding[]>().notNull(),
    totalUsd: numeric('total_usd').notNull(),
    takenAt: at('taken_at'),
  },
  (table) => [index('wallet_snapshots_wallet_idx').on(table.userId, table.agent, table.walletAddress, table.chainId, table.id)],
)
