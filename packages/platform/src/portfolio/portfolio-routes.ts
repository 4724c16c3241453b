import type { Clock } from '@keelson/primitives'
import type { z } from 'zod'
import { valueError } from '../http/api-error.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { type Chains, onChain } from '../market/chain/chains.ts'
import { Decimal } from '../market/decimal.ts'
import type { Defidata } from '../market/defidata/defidata.ts'
import { answerTool } from '../market/tool-answer.ts'
import { succeeded } from '../market/tool-outcome.ts'
import { parseInstant } from '../schemas/instant.ts'
import * as schemas from '../schemas/portfolio.ts'
import type { Database } from '../storage/database.ts'
import { readMarkPrices } from './chain-mark-prices.ts'
import { createPortfolioMetrics, type Sum, type Window } from './metrics.ts'
import { createPositionStore } from './position-store.ts'
import { addSnapshot } from './snapshot-store.ts'
import { recordTrade, tradeOf } from './trade-recorder.ts'

export interface PortfolioDependencies {
  readonly db: Database
  readonly clock: Clock
  readonly chains: Pick<Chains, 'find'> | null
  readonly defidata: Pick<Defidata, 'tvl'>
}

const POSITIONS = '/api/v1/positions'
const METRICS = '/api/v1/metrics'
const DEFAULT_PAGE = 500
const MAX_UNPRICED = 100
const READ = { method: 'GET', auth: 'session', limit: RATE_LIMITS.read } as const
const WRITE = { method: 'POST', auth: 'session', limit: RATE_LIMITS.write } as const

export function createPortfolioRoutes(deps: PortfolioDependencies): readonly AnyRoute[] {
  return [...positionRoutes(deps), ...recordRoutes(deps), ...metricRoutes(deps)]
}

function positionRoutes({ db, clock, chains }: PortfolioDependencies): readonly AnyRoute[] {
  const positions = createPositionStore(db)
  return [
    defineRoute({
      ...READ,
      path: POSITIONS,
      tag: 'positions',
      summary: 'Positions in the order of opening',
      query: schemas.PositionsQuery,
      answer: schemas.Position.array(),
      handle: async ({ caller, query: { agent, wallet_address, limit = DEFAULT_PAGE, offset = 0 } }) => [
        ...(await positions.list(caller.userId, { agent, walletAddress: wallet_address?.toLowerCase(), limit, offset })),
      ],
    }),
    defineRoute({
      ...WRITE,
      path: `${POSITIONS}/mark-to-market`,
      tag: 'positions',
      summary: 'Marks the positions of an agent on a chain at the prices of its feeds',
      body: schemas.MarkRequest,
      answer: schemas.MarkResult,
      refusals: [404],
      async handle({ caller, body: { agent, chain: name } }) {
        const prices = await answerTool(() => onChain(chains, name, async (chain) => succeeded(await readMarkPrices(chain))))
        const atMs = clock.nowMs()
        const marking = await positions.mark(caller.userId, agent, prices, atMs)
        return {
          agent,
          chain: prices.chain,
          chain_id: prices.chainId,
          marked: marking.marked,
          unpriced: marking.unpriced.slice(0, MAX_UNPRICED),
          market_value_usd: marking.marketValueUsd.toNumber(),
          unrealized_pnl_usd: marking.unrealizedUsd.toNumber(),
          marked_at: new Date(atMs).toISOString(),
        }
      },
    }),
  ]
}

function recordRoutes({ db, clock }: PortfolioDependencies): readonly AnyRoute[] {
  return [
    defineRoute({
      ...WRITE,
      stores: { bytes: 0 },
      path: `${METRICS}/wallets/snapshot`,
      tag: 'metrics',
      summary: 'Records a snapshot of a wallet',
      body: schemas.SnapshotRequest,
      answer: schemas.SnapshotResult,
      refusals: [400],
      handle: ({ caller, body }) => addSnapshot(db, caller.userId, body, clock.nowMs()),
    }),
    defineRoute({
      ...WRITE,
      // the trade and two positions
      stores: { bytes: 1_024 },
      path: `${METRICS}/trades`,
      tag: 'metrics',
      summary: 'Records a trade and updates the positions',
      body: schemas.TradeRequest,
      answer: schemas.TradeResult,
      refusals: [400],
      async handle({ caller, body }) {
        const { row, duplicate } = await recordTrade(db, caller.userId, tradeOf(body), clock.nowMs())
        return {
          id: row.id,
          status: row.status as schemas.TradeResult['status'],
          simulated: row.simulated,
          tx_hash: row.txHash,
          duplicate,
          realized_pnl_usd: new Decimal(row.realizedPnlUsd).toNumber(),
          recorded_at: row.recordedAt.toISOString(),
        }
      },
    }),
  ]
}

function metricRoutes({ db, defidata }: PortfolioDependencies): readonly AnyRoute[] {
  const metrics = createPortfolioMetrics(db)
  const ofWindow = <R extends z.ZodType>(
    path: string,
    summary: string,
    answer: R,
    sum: (userId: number, window: Window) => Promise<z.output<R>>,
  ): AnyRoute =>
    defineRoute({
      ...READ,
      path: `${METRICS}/${path}`,
      tag: 'metrics',
      summary,
      query: schemas.WindowQuery,
      answer,
      handle: ({ caller, query }) => sum(caller.userId, windowOf(query)),
    })
  const named = <K extends string>(name: K, { total, byAgent }: Sum) =>
    ({ [name]: total, by_agent: byAgent }) as Record<K, number> & { by_agent: Sum['byAgent'] }
  return [
    ofWindow('volume', 'Trading volume in US dollars sold', schemas.Volume, async (userId, window) =>
      named('total_volume_usd', await metrics.volume(userId, window)),
    ),
    ofWindow('pnl', 'Realised profit and loss of trades', schemas.Pnl, async (userId, window) =>
      named('realized_pnl_usd', await metrics.realized(userId, window)),
    ),
    defineRoute({
      ...READ,
      path: `${METRICS}/pnl/unrealized`,
      tag: 'metrics',
      summary: 'Unrealised profit and loss at the last prices',
      query: schemas.AgentQuery,
      answer: schemas.UnrealizedPnl,
      handle: async ({ caller, query }) => named('unrealized_pnl_usd', await metrics.unrealized(caller.userId, query.agent)),
    }),
    defineRoute({
      ...READ,
      path: `${METRICS}/tvl`,
      tag: 'metrics',
      summary: "Value of the agents' wallets from their newest snapshots, or value locked on a chain",
      limit: RATE_LIMITS.write,
      query: schemas.TvlQuery,
      answer: schemas.Tvl,
      refusals: [404],
      async handle({ caller, query: { mode, agent, chain }, signal }) {
        if (mode === 'agents') {
          if (chain !== undefined) throw valueError(['query', 'chain'], 'chain goes with mode defidata only', chain)
          return { mode, ...named('tvl_usd', await metrics.tvl(caller.userId, agent)) }
        }
        if (agent !== undefined) throw valueError(['query', 'agent'], 'agent goes with mode agents only', agent)
        const found = await answerTool(() => defidata.tvl({ chain }, signal))
        const { complete, as_of, source } = found
        return { tvl_usd: new Decimal(found.tvl_usd).toNumber(), mode, chain: found.chain, complete, as_of, source }
      },
    }),
  ]
}

function windowOf({ start, end, agent }: z.output<typeof schemas.WindowQuery>): Window {
  const at = (text: string | undefined) => (text === undefined ? undefined : (parseInstant(text) ?? undefined))
  const [startMs, endMs] = [at(start), at(end)]
  if (startMs !== undefined && endMs !== undefined && endMs < startMs)
    throw valueError(['query', 'end'], 'end must not be before start', end)
  return { startMs, endMs, agent }
}
