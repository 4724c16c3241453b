/** Stores snapshots of wallets. The newest counts; a limited number of older ones is kept. */
import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { ApiError } from '../http/api-error.ts'
import { Decimal } from '../market/decimal.ts'
import type { SnapshotRequest, SnapshotResult } from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { walletSnapshots } from '../storage/schema/portfolio.ts'
import { kept, ZERO } from './accounting.ts'
import { lockPortfolio } from './lock-portfolio.ts'

/** Maximum pairs of agent and wallet on a chain. */
export const MAX_WALLETS_OF_USER = 1_000
export const MAX_SNAPSHOTS_OF_WALLET = 100

export interface SnapshotStore {
  /** Throws ApiError 400 for too many wallets. */
  add(userId: number, snapshot: SnapshotRequest, atMs: number): Promise<SnapshotResult>
}

export function createSnapshotStore(db: Database): SnapshotStore {
  return {
    add: (userId, snapshot, atMs) =>
      db.transaction(async (transaction) => {
        await lockPortfolio(transaction, userId)
        const { agent, chain_id: chainId } = snapshot
        const walletAddress = snapshot.wallet_address.toLowerCase()
        const { id } = walletSnapshots
        const ofUser = eq(walletSnapshots.userId, userId)
        const ofWallet = and(
          ofUser,
          eq(walletSnapshots.agent, agent),
          eq(walletSnapshots.walletAddress, walletAddress),
          eq(walletSnapshots.chainId, chainId),
        )
        // newest first; everything from this one on is deleted
        const surplus = await transaction
          .select({ id })
          .from(walletSnapshots)
          .where(ofWallet)
          .orderBy(desc(id))
          .limit(1)
          .offset(MAX_SNAPSHOTS_OF_WALLET - 1)
        if (surplus[0] !== undefined) await transaction.delete(walletSnapshots).where(and(ofWallet, lte(id, surplus[0].id)))
        else if ((await transaction.select({ id }).from(walletSnapshots).where(ofWallet).limit(1)).length === 0)
          await assertRoom(transaction, userId)
        const totalUsd = snapshot.holdings.reduce((sum, { usd_value }) => sum.plus(usd_value), ZERO)
        const holdings = snapshot.holdings.map((holding) => ({
          token_address: holding.token_address.toLowerCase(),
          token_symbol: holding.token_symbol,
          quantity: new Decimal(holding.quantity).toFixed(),
          usd_value: new Decimal(holding.usd_value).toFixed(),
        }))
        const [row] = await transaction
          .insert(walletSnapshots)
          .values({ userId, agent, walletAddress, chainId, holdings, totalUsd: kept(totalUsd).toFixed(), takenAt: new Date(atMs) })
          .returning({ id })
        return {
          id: row?.id as number,
          agent,
          wallet_address: walletAddress,
          chain_id: chainId,
          holdings: holdings.length,
          total_usd: totalUsd.toNumber(),
          taken_at: new Date(atMs).toISOString(),
        }
      }),
  }
}

async function assertRoom(db: Database, userId: number): Promise<void> {
  const { agent, walletAddress, chainId } = walletSnapshots
  const [row] = await db
    .select({ wallets: sql<string>`count(distinct (${agent}, ${walletAddress}, ${chainId}))` })
    .from(walletSnapshots)
    .where(eq(walletSnapshots.userId, userId))
  if (Number(row?.wallets) >= MAX_WALLETS_OF_USER) throw new ApiError(400, `A user may have ${MAX_WALLETS_OF_USER} wallets with snapshots`)
}
