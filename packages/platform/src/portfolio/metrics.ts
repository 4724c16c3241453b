import { and, asc, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { Decimal } from '../market/decimal.ts'
import type { Database } from '../storage/database.ts'
import { positions, trades, walletSnapshots } from '../storage/schema/portfolio.ts'

const MAX_AGENTS = 1_000

export interface Window {
  readonly startMs?: number | undefined
  readonly endMs?: number | undefined
  readonly agent?: string | undefined
}

export interface Sum {
  readonly total: number
  readonly byAgent: { key: string; value: number }[]
}

export type PortfolioMetrics = ReturnType<typeof createPortfolioMetrics>

export function createPortfolioMetrics(db: Database) {
  async function sum(from: unknown, agent: AnyPgColumn, value: SQL, where?: SQL): Promise<Sum> {
    const total = sql<string>`sum(sum(${value})) over ()`
    const rows = await db
      .select({ key: sql<string>`${agent}`, value: sql<string>`sum(${value})`, total })
      .from(from as PgTable)
      .where(where)
      .groupBy(agent)
      .orderBy(sql`abs(sum(${value})) desc`, asc(agent))
      .limit(MAX_AGENTS)
    const byAgent = rows.map((row) => ({ key: row.key, value: new Decimal(row.value).toNumber() }))
    return { total: new Decimal(rows[0]?.total ?? 0).toNumber(), byAgent }
  }

  const ofTrades = (userId: number, { startMs, endMs, agent }: Window, value: AnyPgColumn) => {
    const where = and(
      eq(trades.userId, userId),
      eq(trades.status, 'success'),
      eq(trades.simulated, false),
      startMs === undefined ? undefined : gte(trades.recordedAt, new Date(startMs)),
      endMs === undefined ? undefined : lt(trades.recordedAt, new Date(endMs)),
      agent === undefined ? undefined : eq(trades.agent, agent),
    )
    return sum(trades, trades.agent, sql`${value}`, where)
  }

  return {
    volume: (userId: number, window: Window) => ofTrades(userId, window, trades.amountInUsd),
    realized: (userId: number, window: Window) => ofTrades(userId, window, trades.realizedPnlUsd),
    unrealized(userId: number, agent?: string) {
      const where = and(eq(positions.userId, userId), agent === undefined ? undefined : eq(positions.agent, agent))
      return sum(positions, positions.agent, sql`${positions.quantity} * ${positions.lastPriceUsd} - ${positions.costUsd}`, where)
    },
    tvl(userId: number, agent?: string) {
      const { agent: of, walletAddress, chainId, id, totalUsd } = walletSnapshots
      const newest = db
        .selectDistinctOn([of, walletAddress, chainId], { agent: of, totalUsd })
        .from(walletSnapshots)
        .where(and(eq(walletSnapshots.userId, userId), agent === undefined ? undefined : eq(of, agent)))
        .orderBy(desc(of), desc(walletAddress), desc(chainId), desc(id))
        .as('newest')
      return sum(newest, newest.agent, sql`${newest.totalUsd}`)
    },
  }
}
