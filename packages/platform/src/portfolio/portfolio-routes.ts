/** Routes for positions and metrics of the caller's user. */
import type { Clock } from '@keelson/primitives'
import { ApiError, valueError } from '../http/api-error.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { Decimal } from '../market/decimal.ts'
import { answerTool } from '../market/tool-answer.ts'
import type { ToolOutcome } from '../market/tool-outcome.ts'
import { parseInstant } from '../schemas/instant.ts'
import * as schemas from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { createPortfolioMetrics, type Window } from './metrics.ts'
import type { ChainTvlSource, MarkPriceSource } from './ports.ts'
import { createPositionStore } from './position-store.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { tradeOf } from './trade-record.ts'
import { createTradeRecorder } from './trade-recorder.ts'

export interface PortfolioDependencies {
  readonly db: Database
  readonly clock: Clock
  /** Null without chains; marking is then a 503. */
  readonly prices: MarkPriceSource | null
  /** Null as `prices` is. */
  readonly tvl: ChainTvlSource | null
}

const POSITIONS = '/api/v1/positions'
const METRICS = '/api/v1/metrics'
const DEFAULT_PAGE = 500
const MAX_UNPRICED = 100

export function createPortfolioRoutes({ db, clock, prices, tvl }: PortfolioDependencies): readonly AnyRoute[] {
  const trades = createTradeRecorder(db)
  const positions = createPositionStore(db)
  const snapshots = createSnapshotStore(db)
  const metrics = createPortfolioMetrics(db)

  return [
    defineRoute({
      method: 'GET',
      path: POSITIONS,
      tag: 'positions',
      summary: 'Positions in the order of opening',
      auth: 'session',
      limit: RATE_LIMITS.read,
      query: schemas.PositionsQuery,
      answer: schemas.Position.array(),
      handle: async ({ caller, query: { agent, wallet_address, limit = DEFAULT_PAGE, offset = 0 } }) => [
        ...(await positions.list(caller.userId, { agent, walletAddress: wallet_address?.toLowerCase(), limit, offset })),
      ],
    }),
    defineRoute({
      method: 'POST',
      path: `${POSITIONS}/mark-to-market`,
      tag: 'positions',
      summary: 'Marks the positions of an agent on a chain at the prices of its feeds',
      auth: 'session',
      limit: RATE_LIMITS.write,
      body: schemas.MarkRequest,
      answer: schemas.MarkResult,
      refusals: [404],
      async handle({ caller, body: { agent, chain } }) {
        const found = await ask(prices, (source) => source.prices(chain))
        const atMs = clock.nowMs()
        const marking = await positions.mark(caller.userId, agent, found, atMs)
        return {
          agent,
          chain: found.chain,
          chain_id: found.chainId,
          marked: marking.marked,
          unpriced: marking.unpriced.slice(0, MAX_UNPRICED),
          market_value_usd: marking.marketValueUsd.toNumber(),
          unrealized_pnl_usd: marking.unrealizedUsd.toNumber(),
          marked_at: new Date(atMs).toISOString(),
        }
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${METRICS}/wallets/snapshot`,
      tag: 'metrics',
      summary: 'Records a snapshot of a wallet',
      auth: 'session',
      limit: RATE_LIMITS.write,
      body: schemas.SnapshotRequest,
      answer: schemas.SnapshotResult,
      refusals: [400],
      handle: ({ caller, body }) => snapshots.add(caller.userId, body, clock.nowMs()),
    }),
    defineRoute({
      method: 'POST',
      path: `${METRICS}/trades`,
      tag: 'metrics',
      summary: 'Records a trade and updates the positions',
      auth: 'session',
      limit: RATE_LIMITS.write,
      body: schemas.TradeRequest,
      answer: schemas.TradeResult,
      refusals: [400],
      async handle({ caller, body }) {
        const { row, duplicate } = await trades.record(caller.userId, tradeOf(body), clock.nowMs())
        return {
          id: row.id,
          status: row.status as schemas.TradeResult['status'],
          simulated: row.simulated,
          tx_hash: row.txHash,
          realized_pnl_usd: new Decimal(row.realizedPnlUsd).toNumber(),
          duplicate,
          recorded_at: row.recordedAt.toISOString(),
        }
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${METRICS}/volume`,
      tag: 'metrics',
      summary: 'Trading volume in US dollars sold',
      auth: 'session',
      limit: RATE_LIMITS.read,
      query: schemas.WindowQuery,
      answer: schemas.Volume,
      async handle({ caller, query }) {
        const { total, byAgent } = await metrics.volume(caller.userId, windowOf(query))
        return { total_volume_usd: total, by_agent: byAgent }
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${METRICS}/pnl`,
      tag: 'metrics',
      summary: 'Realised profit and loss of trades',
      auth: 'session',
      limit: RATE_LIMITS.read,
      query: schemas.WindowQuery,
      answer: schemas.Pnl,
      async handle({ caller, query }) {
        const { total, byAgent } = await metrics.realized(caller.userId, windowOf(query))
        return { realized_pnl_usd: total, by_agent: byAgent }
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${METRICS}/pnl/unrealized`,
      tag: 'metrics',
      summary: 'Unrealised profit and loss at the last prices',
      auth: 'session',
      limit: RATE_LIMITS.read,
      query: schemas.AgentQuery,
      answer: schemas.UnrealizedPnl,
      async handle({ caller, query }) {
        const { total, byAgent } = await metrics.unrealized(caller.userId, query.agent)
        return { unrealized_pnl_usd: total, by_agent: byAgent }
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${METRICS}/tvl`,
      tag: 'metrics',
      summary: "Value of the agents' wallets from their newest snapshots, or value locked on a chain",
      auth: 'session',
      limit: RATE_LIMITS.write,
      query: schemas.TvlQuery,
      answer: schemas.Tvl,
      refusals: [404],
      async handle({ caller, query: { mode, agent, chain }, signal }) {
        if (mode === 'agents') {
          if (chain !== undefined) throw valueError(['query', 'chain'], 'chain goes with mode defidata only', chain)
          const { total, byAgent } = await metrics.tvl(caller.userId, agent)
          return { tvl_usd: total, mode, by_agent: byAgent }
        }
        if (agent !== undefined) throw valueError(['query', 'agent'], 'agent goes with mode agents only', agent)
        const found = await ask(tvl, (source) => source.tvl({ chain }, signal))
        const { complete, as_of, source } = found
        return { tvl_usd: new Decimal(found.tvl_usd).toNumber(), mode, chain: found.chain, complete, as_of, source }
      },
    }),
  ]
}

function windowOf({ start, end, agent }: { start?: string | undefined; end?: string | undefined; agent?: string | undefined }): Window {
  const at = (text: string | undefined) => (text === undefined ? undefined : (parseInstant(text) ?? undefined))
  const [startMs, endMs] = [at(start), at(end)]
  if (startMs !== undefined && endMs !== undefined && endMs < startMs)
    throw valueError(['query', 'end'], 'end must not be before start', end)
  return { startMs, endMs, agent }
}

function ask<S, T>(source: S | null, question: (source: S) => Promise<ToolOutcome<T>>): Promise<T> {
  if (source === null) throw new ApiError(503, 'No source is configured for this')
  return answerTool(() => question(source))
}
