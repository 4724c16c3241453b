import { and, eq } from 'drizzle-orm'
import { ApiError } from '../http/api-error.ts'
import { Decimal } from '../market/decimal.ts'
import type { TradeRequest } from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { trades } from '../storage/schema/portfolio.ts'
import { buy, EMPTY_HOLDING, kept, sell, ZERO } from './accounting.ts'
import { findHolding, lockPortfolio, saveHolding } from './position-store.ts'

type TradeRow = typeof trades.$inferSelect
export type NewTrade = Omit<TradeRow, 'id' | 'userId' | 'realizedPnlUsd' | 'recordedAt'>

export function tradeOf(request: TradeRequest): NewTrade {
  const usd = (value = 0) => kept(new Decimal(value))
  const [valueIn, valueOut] = [usd(request.amount_in_usd), usd(request.amount_out_usd)]
  const price = (given: number | undefined, value: Decimal, amount: string) => (given === undefined ? kept(value.div(amount)) : usd(given))
  return {
    agent: request.agent,
    walletAddress: request.wallet_address.toLowerCase(),
    chainId: request.chain_id,
    venue: request.venue,
    tokenInAddress: request.token_in_address.toLowerCase(),
    tokenOutAddress: request.token_out_address.toLowerCase(),
    tokenInSymbol: request.token_in_symbol,
    tokenOutSymbol: request.token_out_symbol,
    amountIn: new Decimal(request.amount_in).toFixed(),
    amountOut: new Decimal(request.amount_out).toFixed(),
    amountInUsd: valueIn.toFixed(),
    amountOutUsd: valueOut.toFixed(),
    priceInUsd: price(request.price_in_usd_per_unit, valueIn, request.amount_in).toFixed(),
    priceOutUsd: price(request.price_out_usd_per_unit, valueOut, request.amount_out).toFixed(),
    feesUsd: usd(request.fees_usd).toFixed(),
    status: request.status ?? 'success',
    simulated: request.simulated ?? false,
    txHash: request.tx_hash?.toLowerCase() ?? null,
  }
}

/**
 * Records a transaction hash once, but may update a pending trade. Throws ApiError 400 for a contradicting trade or too many
 * positions.
 */
export function recordTrade(db: Database, userId: number, trade: NewTrade, atMs: number) {
  return db.transaction(async (transaction) => {
    await lockPortfolio(transaction, userId)
    const before = await findTrade(transaction, userId, trade)
    const isSame = before !== null && (Object.keys(trade) as (keyof NewTrade)[]).every((field) => before[field] === trade[field])
    if (isSame) return { row: before, duplicate: true }
    if (before !== null && before.status !== 'pending')
      throw new ApiError(400, `Transaction ${trade.txHash} was recorded with other values`)
    const recordedAt = new Date(atMs)
    const movesPositions = trade.status === 'success' && !trade.simulated
    const realized = movesPositions ? await movePositions(transaction, userId, trade, recordedAt) : ZERO
    const values = { ...trade, userId, realizedPnlUsd: realized.toFixed(), recordedAt }
    const [row] =
      before === null
        ? await transaction.insert(trades).values(values).returning()
        : await transaction.update(trades).set(values).where(eq(trades.id, before.id)).returning()
    return { row: row as TradeRow, duplicate: false }
  })
}

export async function findTrade(
  db: Database,
  userId: number,
  trade: Pick<NewTrade, 'chainId' | 'txHash' | 'walletAddress' | 'tokenInAddress' | 'tokenOutAddress' | 'simulated'>,
): Promise<TradeRow | null> {
  if (trade.txHash === null) return null
  const [row] = await db
    .select()
    .from(trades)
    .where(
      and(
        and(eq(trades.userId, userId), eq(trades.chainId, trade.chainId), eq(trades.txHash, trade.txHash)),
        and(eq(trades.walletAddress, trade.walletAddress), eq(trades.simulated, trade.simulated)),
        and(eq(trades.tokenInAddress, trade.tokenInAddress), eq(trades.tokenOutAddress, trade.tokenOutAddress)),
      ),
    )
  return row ?? null
}

async function movePositions(db: Database, userId: number, trade: NewTrade, at: Date): Promise<Decimal> {
  const { agent, walletAddress, chainId } = trade
  const place = (tokenAddress: string, tokenSymbol: string) => ({ userId, agent, walletAddress, chainId, tokenAddress, tokenSymbol })
  const leg = (quantity: string, valueUsd: string, priceUsd: string) => ({
    quantity: new Decimal(quantity),
    valueUsd: new Decimal(valueUsd),
    priceUsd: new Decimal(priceUsd),
  })
  const from = place(trade.tokenInAddress, trade.tokenInSymbol)
  const held = await findHolding(db, from)
  const sale = sell(held ?? EMPTY_HOLDING, leg(trade.amountIn, trade.amountInUsd, trade.priceInUsd))
  if (held !== null) await saveHolding(db, from, held, () => sale.holding, at)
  const bought = leg(trade.amountOut, trade.amountOutUsd, trade.priceOutUsd)
  const to = place(trade.tokenOutAddress, trade.tokenOutSymbol)
  await saveHolding(db, to, await findHolding(db, to), (holding) => buy(holding, bought, new Decimal(trade.feesUsd)), at)
  return sale.realizedUsd
}
