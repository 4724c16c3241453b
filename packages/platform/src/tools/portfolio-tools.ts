import { z } from 'zod'
import { problem, succeeded } from '../market/tool-outcome.ts'
import type { PortfolioMetrics, Sum } from '../portfolio/metrics.ts'
import type { PositionStore } from '../portfolio/position-store.ts'
import { EvmAddress } from '../schemas/evm-input.ts'
import { optional } from '../schemas/fields/optional.ts'
import { Instant, parseInstant } from '../schemas/instant.ts'
import { type AnyTool, sessionTool } from './tool.ts'

const Agent = optional(z.string().min(1).max(100)).describe('Limits the result to one agent')
const DEFAULT_POSITIONS = 20
const MAX_POSITIONS = 100
const SOURCE = "the platform's own records of this user's trades and snapshots"

export interface PortfolioToolDependencies {
  readonly positions: Pick<PositionStore, 'list'>
  readonly metrics: PortfolioMetrics
}

export function createPortfolioTools({ positions, metrics }: PortfolioToolDependencies): readonly AnyTool[] {
  return [
    sessionTool({
      name: 'positions',
      title: 'Positions',
      description: "The user's positions: quantity, average cost, last price, value, realised and unrealised profit and loss.",
      input: z.strictObject({
        agent: Agent,
        wallet_address: optional(EvmAddress),
        limit: optional(z.int().min(1).max(MAX_POSITIONS)).describe(`Default: ${DEFAULT_POSITIONS}`),
      }),
      async call({ agent, wallet_address, limit = DEFAULT_POSITIONS }, { caller }) {
        const filter = { agent, walletAddress: wallet_address?.toLowerCase(), limit, offset: 0 }
        return succeeded({ positions: await positions.list(caller.userId, filter), source: SOURCE })
      },
    }),
    sessionTool({
      name: 'portfolio_metrics',
      title: 'Volume, PnL, TVL',
      description:
        "Sums over the user's trades, positions and snapshots, in US dollars, altogether and by agent: volume, realised and unrealised profit and loss, value of the agents' wallets. start and end bound volume and realised only.",
      input: z.strictObject({ agent: Agent, start: optional(Instant), end: optional(Instant) }),
      async call({ agent, start, end }, { caller: { userId } }) {
        const [startMs, endMs] = [start, end].map((text) => (text === undefined ? undefined : (parseInstant(text) ?? undefined)))
        if (startMs !== undefined && endMs !== undefined && endMs < startMs)
          return problem('invalid', 'end: expected a time that is not before start')
        const window = { agent, startMs, endMs }
        const [volume, realized, unrealized, tvl] = await Promise.all([
          metrics.volume(userId, window),
          metrics.realized(userId, window),
          metrics.unrealized(userId, agent),
          metrics.tvl(userId, agent),
        ])
        const shown = ({ total, byAgent }: Sum) => ({ usd: total, by_agent: byAgent })
        const pnl = { realized_pnl: shown(realized), unrealized_pnl: shown(unrealized) }
        return succeeded({ volume: shown(volume), ...pnl, tvl: shown(tvl), source: SOURCE })
      },
    }),
  ]
}
