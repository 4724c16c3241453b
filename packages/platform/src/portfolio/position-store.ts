/** Reads and marks positions. */
import { and, asc, eq, sql } from 'drizzle-orm'
import { Decimal } from '../market/decimal.ts'
import type { Position } from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { positions } from '../storage/schema/portfolio.ts'
import { averageCostUsd, marketValueUsd, unrealizedUsd } from './accounting.ts'
import { lockPortfolio } from './lock-portfolio.ts'
import type { MarkPrices } from './ports.ts'
import { holdingOf } from './trade-recorder.ts'

export interface PositionFilter {
  readonly agent?: string | undefined
  readonly walletAddress?: string | undefined
  readonly limit: number
  readonly offset: number
}

export interface Marking {
  readonly marked: number
  readonly unpriced: readonly string[]
  readonly marketValueUsd: Decimal
  readonly unrealizedUsd: Decimal
}

export interface PositionStore {
  /** In the order of opening, with closed ones. */
  list(userId: number, filter: PositionFilter): Promise<readonly Position[]>
  mark(userId: number, agent: string, prices: MarkPrices, atMs: number): Promise<Marking>
}

export function createPositionStore(db: Database): PositionStore {
  return {
    async list(userId, { agent, walletAddress, limit, offset }) {
      const rows = await db
        .select()
        .from(positions)
        .where(
          and(
            eq(positions.userId, userId),
            agent === undefined ? undefined : eq(positions.agent, agent),
            walletAddress === undefined ? undefined : eq(positions.walletAddress, walletAddress),
          ),
        )
        .orderBy(asc(positions.id))
        .limit(limit)
        .offset(offset)
      return rows.map(shown)
    },
    mark: (userId, agent, prices, atMs) =>
      db.transaction(async (transaction) => {
        await lockPortfolio(transaction, userId)
        const own = and(eq(positions.userId, userId), eq(positions.agent, agent), eq(positions.chainId, prices.chainId))
        const tokens = await transaction.selectDistinct({ address: positions.tokenAddress }).from(positions).where(own)
        const unpriced: string[] = []
        let marked = 0
        for (const { address } of tokens) {
          const price = prices.of(address)
          if (price === null) {
            unpriced.push(address)
            continue
          }
          const rows = await transaction
            .update(positions)
            .set({ lastPriceUsd: price.toFixed(), updatedAt: new Date(atMs) })
            .where(and(own, eq(positions.tokenAddress, address)))
            .returning({ id: positions.id })
          marked += rows.length
        }
        const value = sql<string>`coalesce(sum(${positions.quantity} * ${positions.lastPriceUsd}), 0)`
        const cost = sql<string>`coalesce(sum(${positions.costUsd}), 0)`
        const [sums] = await transaction.select({ value, cost }).from(positions).where(own)
        const worth = new Decimal(sums?.value ?? 0)
        return { marked, unpriced: unpriced.sort(), marketValueUsd: worth, unrealizedUsd: worth.minus(sums?.cost ?? 0) }
      }),
  }
}

function shown(row: typeof positions.$inferSelect): Position {
  const holding = holdingOf(row)
  return {
    id: row.id,
    agent: row.agent,
    wallet_address: row.walletAddress,
    chain_id: row.chainId,
    token_address: row.tokenAddress,
    token_symbol: row.tokenSymbol,
    quantity: holding.quantity.toNumber(),
    cost_basis_usd_per_unit: averageCostUsd(holding).toNumber(),
    realized_pnl_usd: holding.realizedUsd.toNumber(),
    last_price_usd: holding.lastPriceUsd.toNumber(),
    market_value_usd: marketValueUsd(holding).toNumber(),
    unrealized_pnl_usd: unrealizedUsd(holding).toNumber(),
    updated_at: row.updatedAt.toISOString(),
  }
}
