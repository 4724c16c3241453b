import { and, desc, eq, lte, sql } from 'drizzle-orm'
import { ApiError } from '../http/api-error.ts'
import { Decimal } from '../market/decimal.ts'
import type { SnapshotRequest, SnapshotResult } from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { walletSnapshots } from '../storage/schema/portfolio.ts'
import { kept, ZERO } from './accounting.ts'
import { lockPortfolio } from './position-store.ts'

const MAX_WALLETS_OF_USER = 1_000
export const MAX_SNAPSHOTS_OF_WALLET = 100

const { id, userId: owner, agent: agentColumn, walletAddress: wallet, chainId: chain } = walletSnapshots

/** Throws ApiError 400 for too many wallets. */
export function addSnapshot(db: Database, userId: number, snapshot: SnapshotRequest, atMs: number): Promise<SnapshotResult> {
  return db.transaction(async (transaction) => {
    await lockPortfolio(transaction, userId)
    const { agent, chain_id: chainId } = snapshot
    const walletAddress = snapshot.wallet_address.toLowerCase()
    const ofWallet = and(eq(owner, userId), eq(agentColumn, agent), eq(wallet, walletAddress), eq(chain, chainId))
    const before = await transaction.select({ id }).from(walletSnapshots).where(ofWallet).orderBy(desc(id)).limit(MAX_SNAPSHOTS_OF_WALLET)
    const surplus = before[MAX_SNAPSHOTS_OF_WALLET - 1]
    if (surplus !== undefined) await transaction.delete(walletSnapshots).where(and(ofWallet, lte(id, surplus.id)))
    if (before.length === 0) await assertRoom(transaction, userId)
    const totalUsd = snapshot.holdings.reduce((sum, { usd_value }) => sum.plus(usd_value), ZERO)
    const holdings = snapshot.holdings.map((holding) => ({
      token_address: holding.token_address.toLowerCase(),
      token_symbol: holding.token_symbol,
      quantity: new Decimal(holding.quantity).toFixed(),
      usd_value: new Decimal(holding.usd_value).toFixed(),
    }))
    const takenAt = new Date(atMs)
    const [row] = await transaction
      .insert(walletSnapshots)
      .values({ userId, agent, walletAddress, chainId, holdings, totalUsd: kept(totalUsd).toFixed(), takenAt })
      .returning({ id })
    return {
      id: row?.id as number,
      agent,
      wallet_address: walletAddress,
      chain_id: chainId,
      holdings: holdings.length,
      total_usd: totalUsd.toNumber(),
      taken_at: takenAt.toISOString(),
    }
  })
}

async function assertRoom(db: Database, userId: number): Promise<void> {
  const wallets = sql<string>`count(distinct (${agentColumn}, ${wallet}, ${chain}))`
  const [row] = await db.select({ wallets }).from(walletSnapshots).where(eq(owner, userId))
  if (Number(row?.wallets) >= MAX_WALLETS_OF_USER) throw new ApiError(400, `A user may have ${MAX_WALLETS_OF_USER} wallets with snapshots`)
}
