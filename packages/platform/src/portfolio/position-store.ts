import { and, asc, eq, sql } from 'drizzle-orm'
import { ApiError, unauthorized } from '../http/api-error.ts'
import { Decimal } from '../market/decimal.ts'
import type { Position } from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { users } from '../storage/schema/auth.ts'
import { positions } from '../storage/schema/portfolio.ts'
import { averageCostUsd, EMPTY_HOLDING, type Holding, marketValueUsd, unrealizedUsd } from './accounting.ts'
import type { MarkPrices } from './chain-mark-prices.ts'

const MAX_POSITIONS_OF_USER = 10_000

interface PositionFilter {
  readonly agent?: string | undefined
  readonly walletAddress?: string | undefined
  readonly limit: number
  readonly offset: number
}

type Place = Pick<typeof positions.$inferInsert, 'userId' | 'agent' | 'walletAddress' | 'chainId' | 'tokenAddress' | 'tokenSymbol'>

export type PositionStore = ReturnType<typeof createPositionStore>

export function createPositionStore(db: Database) {
  return {
    async list(userId: number, { agent, walletAddress, limit, offset }: PositionFilter): Promise<readonly Position[]> {
      const where = and(
        eq(positions.userId, userId),
        agent === undefined ? undefined : eq(positions.agent, agent),
        walletAddress === undefined ? undefined : eq(positions.walletAddress, walletAddress),
      )
      const rows = await db.select().from(positions).where(where).orderBy(asc(positions.id)).limit(limit).offset(offset)
      return rows.map(shown)
    },
    mark: (userId: number, agent: string, prices: MarkPrices, atMs: number) =>
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

/** Locks the user's row until the transaction ends. Throws ApiError 401 for a deleted user. */
export async function lockPortfolio(transaction: Database, userId: number): Promise<void> {
  const [owner] = await transaction.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  if (owner === undefined) throw unauthorized('Invalid or expired token: log in again')
}

export async function findHolding(db: Database, place: Place): Promise<Holding | null> {
  const { userId, agent, walletAddress, chainId, tokenAddress } = positions
  const [row] = await db
    .select()
    .from(positions)
    .where(
      and(
        and(eq(userId, place.userId), eq(agent, place.agent), eq(walletAddress, place.walletAddress)),
        and(eq(chainId, place.chainId), eq(tokenAddress, place.tokenAddress)),
      ),
    )
  return row === undefined ? null : holdingOf(row)
}

/** Throws ApiError 400 for too many positions. */
export async function saveHolding(
  db: Database,
  place: Place,
  before: Holding | null,
  change: (holding: Holding) => Holding,
  updatedAt: Date,
): Promise<void> {
  if (before === null && (await db.$count(positions, eq(positions.userId, place.userId))) >= MAX_POSITIONS_OF_USER)
    throw new ApiError(400, `A user may have ${MAX_POSITIONS_OF_USER} positions`)
  const { quantity, costUsd: cost, realizedUsd, lastPriceUsd } = change(before ?? EMPTY_HOLDING)
  const figures = { quantity: quantity.toFixed(), costUsd: cost.toFixed(), lastPriceUsd: lastPriceUsd.toFixed() }
  const state = { ...figures, tokenSymbol: place.tokenSymbol, realizedPnlUsd: realizedUsd.toFixed(), updatedAt }
  const { userId, agent, walletAddress, chainId, tokenAddress } = positions
  await db
    .insert(positions)
    .values({ ...place, ...state })
    .onConflictDoUpdate({ target: [userId, agent, walletAddress, chainId, tokenAddress], set: state })
}

function holdingOf(row: typeof positions.$inferSelect): Holding {
  return {
    quantity: new Decimal(row.quantity),
    costUsd: new Decimal(row.costUsd),
    realizedUsd: new Decimal(row.realizedPnlUsd),
    lastPriceUsd: new Decimal(row.lastPriceUsd),
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
