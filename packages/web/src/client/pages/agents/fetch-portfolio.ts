import { ask } from '../../data/platform/ask.ts'
import type { WalletJson } from '../../data/platform/trade-types.ts'

export interface PositionJson {
  readonly id: number
  readonly agent: string
  readonly token_address: string
  readonly token_symbol: string
  readonly quantity: number
  readonly cost_basis_usd_per_unit: number
  readonly market_value_usd: number
  readonly unrealized_pnl_usd: number
  readonly updated_at: string
}

export interface PortfolioJson {
  readonly positions: readonly PositionJson[]
  readonly volumeUsd: number
  readonly realizedUsd: number
  readonly unrealizedUsd: number
  readonly wallets: readonly WalletJson[]
}

const MAX_SHOWN = 100

/** Throws Refusal. */
export async function fetchPortfolio(token: string): Promise<PortfolioJson> {
  const [positions, volume, pnl, unrealized, setup] = await Promise.all([
    ask<readonly PositionJson[]>(`/api/v1/positions?limit=${MAX_SHOWN}`, { token }),
    ask<{ total_volume_usd: number }>('/api/v1/metrics/volume', { token }),
    ask<{ realized_pnl_usd: number }>('/api/v1/metrics/pnl', { token }),
    ask<{ unrealized_pnl_usd: number }>('/api/v1/metrics/pnl/unrealized', { token }),
    ask<{ wallets: readonly WalletJson[] }>('/api/v1/multi-agent/wallets', { token }),
  ])
  return {
    positions,
    volumeUsd: volume.total_volume_usd,
    realizedUsd: pnl.realized_pnl_usd,
    unrealizedUsd: unrealized.unrealized_pnl_usd,
    wallets: setup.wallets,
  }
}
