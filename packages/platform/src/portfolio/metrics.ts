/** Sums over a user's trades, positions and snapshots, in total and by agent. The database adds decimals. */
import { and, asc, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { Decimal } from '../market/decimal.ts'
import type { Database } from '../storage/database.ts'
import { positions, trades, walletSnapshots } from '../storage/schema/portfolio.ts'

const MAX_AGENTS = 1_000

export interface Window {
  /** Unix milliseconds; `start` inclusive, `end` exclusive. */
  readonly startMs?: number | undefined
  readonly endMs?: number | undefined
  readonly agent?: string | undefined
}

export interface Sum {
  readonly total: number
  /** Largest first. */
  readonly byAgent: { key: string; value: number }[]
}

export interface PortfolioMetrics {
  /** Value sold in successful trades. */
  volume(userId: number, window: Window): Promise<Sum>
  realized(userId: number, window: Window): Promise<Sum>
  unrealized(userId: number, agent?: string): Promise<Sum>
  /** Newest snapshot of each wallet. */
  tvl(userId: number, agent?: string): Promise<Sum>
}

export function createPortfolioMetrics(db: Database): PortfolioMetrics {
  const ofTrades = async (userId: number, { startMs, endMs, agent }: Window, value: AnyPgColumn) => {
    const where = and(
      eq(trades.userId, userId),
      eq(trades.status, 'success'),
      eq(trades.simulated, false),
      startMs === undefined ? undefined : gte(trades.recordedAt, new Date(startMs)),
      endMs === undefined ? undefined : lt(trades.recordedAt, new Date(endMs)),
      agent === undefined ? undefined : eq(trades.agent, agent),
    )
    const sums = sumsOf(trades.agent, sql`${value}`)
    return sumOf(
      await db
        .select(sums.fields)
        .from(trades)
        .where(where)
        .groupBy(trades.agent)
        .orderBy(sums.largest, asc(trades.agent))
        .limit(MAX_AGENTS),
    )
  }
  return {
    volume: (userId, window) => ofTrades(userId, window, trades.amountInUsd),
    realized: (userId, window) => ofTrades(userId, window, trades.realizedPnlUsd),
    async unrealized(userId, agent) {
      const where = and(eq(positions.userId, userId), agent === undefined ? undefined : eq(positions.agent, agent))
      const sums = sumsOf(positions.agent, sql`${positions.quantity} * ${positions.lastPriceUsd} - ${positions.costUsd}`)
      return sumOf(
        await db
          .select(sums.fields)
          .from(positions)
          .where(where)
          .groupBy(positions.agent)
          .orderBy(sums.largest, asc(positions.agent))
          .limit(MAX_AGENTS),
      )
    },
    async tvl(userId, agent) {
      const { agent: of, walletAddress, chainId, id, totalUsd } = walletSnapshots
      const newest = db
        .selectDistinctOn([of, walletAddress, chainId], { agent: of, totalUsd })
        .from(walletSnapshots)
        .where(and(eq(walletSnapshots.userId, userId), agent === undefined ? undefined : eq(of, agent)))
        .orderBy(desc(of), desc(walletAddress), desc(chainId), desc(id))
        .as('newest')
      const sums = sumsOf(newest.agent, sql`${newest.totalUsd}`)
      return sumOf(
        await db.select(sums.fields).from(newest).groupBy(newest.agent).orderBy(sums.largest, asc(newest.agent)).limit(MAX_AGENTS),
      )
    },
  }
}

function sumsOf(agent: AnyPgColumn, value: SQL) {
  return {
    fields: { key: sql<string>`${agent}`, value: sql<string>`sum(${value})`, total: sql<string>`sum(sum(${value})) over ()` },
    largest: sql`abs(sum(${value})) desc`,
  }
}

function sumOf(rows: readonly { readonly key: string; readonly value: string; readonly total: string }[]): Sum {
  return {
    total: new Decimal(rows[0]?.total ?? 0).toNumber(),
    byAgent: rows.map(({ key, value }) => ({ key, value: new Decimal(value).toNumber() })),
  }
}
