/** Records trades. A trade and the positions that it moves are committed together. */
import { and, eq } from 'drizzle-orm'
import { ApiError } from '../http/api-error.ts'
import { Decimal } from '../market/decimal.ts'
import type { Database } from '../storage/database.ts'
import { positions, trades } from '../storage/schema/portfolio.ts'
import { buy, EMPTY_HOLDING, type Holding, sell } from './accounting.ts'
import { lockPortfolio } from './lock-portfolio.ts'
import { isSameTrade, legsOf, movesPositions, type NewTrade, type TradeRow } from './trade-record.ts'

export const MAX_POSITIONS_OF_USER = 10_000

export interface RecordedTrade {
  readonly row: TradeRow
  /** True for a known trade; nothing is written. */
  readonly duplicate: boolean
}

export interface TradeRecorder {
  /**
   * With a transaction hash a trade counts once: the same trade again is a duplicate, and a pending one may be updated.
   * Throws ApiError 400 for a contradicting trade or too many positions.
   */
  record(userId: number, trade: NewTrade, atMs: number): Promise<RecordedTrade>
}

export function createTradeRecorder(db: Database): TradeRecorder {
  return {
    record: (userId, trade, atMs) =>
      db.transaction(async (transaction) => {
        await lockPortfolio(transaction, userId)
        const before = await findByHash(transaction, userId, trade)
        if (before !== null && isSameTrade(before, trade)) return { row: before, duplicate: true }
        if (before !== null && before.status !== 'pending')
          throw new ApiError(400, `Transaction ${trade.txHash} was recorded with other values`)
        const recordedAt = new Date(atMs)
        const realized = movesPositions(trade) ? await movePositions(transaction, userId, trade, recordedAt) : '0'
        const values = { ...trade, userId, realizedPnlUsd: realized, recordedAt }
        const [row] =
          before === null
            ? await transaction.insert(trades).values(values).returning()
            : await transaction.update(trades).set(values).where(eq(trades.id, before.id)).returning()
        return { row: row as TradeRow, duplicate: false }
      }),
  }
}

async function findByHash(db: Database, userId: number, trade: NewTrade): Promise<TradeRow | null> {
  if (trade.txHash === null) return null
  const [row] = await db
    .select()
    .from(trades)
    .where(
      and(
        eq(trades.userId, userId),
        eq(trades.chainId, trade.chainId),
        eq(trades.txHash, trade.txHash),
        eq(trades.walletAddress, trade.walletAddress),
        eq(trades.tokenInAddress, trade.tokenInAddress),
        eq(trades.tokenOutAddress, trade.tokenOutAddress),
        eq(trades.simulated, trade.simulated),
      ),
    )
  return row ?? null
}

/** Realised profit as decimal text. */
async function movePositions(db: Database, userId: number, trade: NewTrade, updatedAt: Date): Promise<string> {
  const { sold, bought } = legsOf(trade)
  const { agent, walletAddress, chainId } = trade
  const place = (tokenAddress: string, tokenSymbol: string) => ({ userId, agent, walletAddress, chainId, tokenAddress, tokenSymbol })
  const from = place(trade.tokenInAddress, trade.tokenInSymbol)
  const to = place(trade.tokenOutAddress, trade.tokenOutSymbol)
  const held = await findHolding(db, from)
  const sale = sell(held ?? EMPTY_HOLDING, sold)
  // a token that was never held has no position
  if (held !== null) await saveHolding(db, from, sale.holding, updatedAt)
  const target = await findHolding(db, to)
  if (target === null && (await db.$count(positions, eq(positions.userId, userId))) >= MAX_POSITIONS_OF_USER)
    throw new ApiError(400, `A user may have ${MAX_POSITIONS_OF_USER} positions`)
  await saveHolding(db, to, buy(target ?? EMPTY_HOLDING, bought, new Decimal(trade.feesUsd)), updatedAt)
  return sale.realizedUsd.toFixed()
}

type Place = Pick<typeof positions.$inferInsert, 'userId' | 'agent' | 'walletAddress' | 'chainId' | 'tokenAddress' | 'tokenSymbol'>

async function findHolding(db: Database, place: Place): Promise<Holding | null> {
  const [row] = await db
    .select()
    .from(positions)
    .where(
      and(
        eq(positions.userId, place.userId),
        eq(positions.agent, place.agent),
        eq(positions.walletAddress, place.walletAddress),
        eq(positions.chainId, place.chainId),
        eq(positions.tokenAddress, place.tokenAddress),
      ),
    )
  return row === undefined ? null : holdingOf(row)
}

export function holdingOf(row: typeof positions.$inferSelect): Holding {
  return {
    quantity: new Decimal(row.quantity),
    costUsd: new Decimal(row.costUsd),
    realizedUsd: new Decimal(row.realizedPnlUsd),
    lastPriceUsd: new Decimal(row.lastPriceUsd),
  }
}

async function saveHolding(db: Database, place: Place, holding: Holding, updatedAt: Date): Promise<void> {
  const state = {
    tokenSymbol: place.tokenSymbol,
    quantity: holding.quantity.toFixed(),
    costUsd: holding.costUsd.toFixed(),
    realizedPnlUsd: holding.realizedUsd.toFixed(),
    lastPriceUsd: holding.lastPriceUsd.toFixed(),
    updatedAt,
  }
  const { userId, agent, walletAddress, chainId, tokenAddress } = positions
  await db
    .insert(positions)
    .values({ ...place, ...state })
    .onConflictDoUpdate({ target: [userId, agent, walletAddress, chainId, tokenAddress], set: state })
}
