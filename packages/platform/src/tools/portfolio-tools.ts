/** Tools for positions and metrics of the caller. */
import { z } from 'zod'
import { problem, succeeded } from '../market/tool-outcome.ts'
import type { PortfolioMetrics } from '../portfolio/metrics.ts'
import type { PositionStore } from '../portfolio/position-store.ts'
import { EvmAddress } from '../schemas/evm-input.ts'
import { Instant, parseInstant } from '../schemas/instant.ts'
import type { Position } from '../schemas/portfolio.ts'
import { sessionCaller } from './session-caller.ts'
import { type AnyTool, defineTool } from './tool.ts'

const Agent = z.string().min(1).max(100).optional().describe('Limits the result to one agent')
const DEFAULT_POSITIONS = 20
const MAX_POSITIONS = 100
const SOURCE = "the platform's own records of this user's trades and snapshots"

export interface PositionsResult {
  readonly positions: readonly Position[]
  readonly source: string
}

interface SumResult {
  readonly usd: number
  readonly by_agent: readonly { readonly key: string; readonly value: number }[]
}

export interface PortfolioMetricsResult {
  readonly volume: SumResult
  readonly realized_pnl: SumResult
  readonly unrealized_pnl: SumResult
  readonly tvl: SumResult
  readonly source: string
}

export interface PortfolioToolDependencies {
  readonly positions: Pick<PositionStore, 'list'>
  readonly metrics: PortfolioMetrics
}

export function createPortfolioTools({ positions, metrics }: PortfolioToolDependencies): readonly AnyTool[] {
  const shared = { access: 'session', effect: 'reads' } as const
  return [
    defineTool({
      ...shared,
      name: 'positions',
      title: 'Positions',
      description: "The user's positions: quantity, average cost, last price, value, realised and unrealised profit and loss.",
      input: z.strictObject({
        agent: Agent,
        wallet_address: EvmAddress.optional(),
        limit: z.int().min(1).max(MAX_POSITIONS).optional().describe(`Default: ${DEFAULT_POSITIONS}`),
      }),
      async call({ agent, wallet_address, limit = DEFAULT_POSITIONS }, context) {
        const filter = { agent, walletAddress: wallet_address?.toLowerCase(), limit, offset: 0 }
        return succeeded<PositionsResult>({ positions: await positions.list(sessionCaller(context).userId, filter), source: SOURCE })
      },
    }),
    defineTool({
      ...shared,
      name: 'portfolio_metrics',
      title: 'Volume, PnL, TVL',
      description:
        "Sums over the user's trades, positions and snapshots, in US dollars, altogether and by agent: volume, realised and unrealised profit and loss, value of the agents' wallets. start and end bound volume and realised only.",
      input: z.strictObject({ agent: Agent, start: Instant.optional(), end: Instant.optional() }),
      async call({ agent, start, end }, context) {
        const window = { agent, startMs: instant(start), endMs: instant(end) }
        if (window.startMs !== undefined && window.endMs !== undefined && window.endMs < window.startMs)
          return problem('invalid', 'end: expected a time that is not before start')
        const { userId } = sessionCaller(context)
        const [volume, realized, unrealized, tvl] = await Promise.all([
          metrics.volume(userId, window),
          metrics.realized(userId, window),
          metrics.unrealized(userId, agent),
          metrics.tvl(userId, agent),
        ])
        const sum = ({ total, byAgent }: typeof volume): SumResult => ({ usd: total, by_agent: byAgent })
        return succeeded<PortfolioMetricsResult>({
          volume: sum(volume),
          realized_pnl: sum(realized),
          unrealized_pnl: sum(unrealized),
          tvl: sum(tvl),
          source: SOURCE,
        })
      },
    }),
  ]
}

function instant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : (parseInstant(text) ?? undefined)
}
