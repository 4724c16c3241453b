/** Decisions use no text from a person or a model. */
import type { Address } from '@keelson/primitives'
import { Decimal } from '../../market/decimal.ts'

export interface WalletPolicy {
  readonly enabled: boolean
  readonly chainIds: readonly number[]
  readonly tokens: readonly { readonly chainId: number; readonly address: Address }[]
  /** Contracts callable besides `approve` of the sold token. */
  readonly contracts: readonly { readonly chainId: number; readonly address: Address }[]
  readonly maxTradeUsd: Decimal
  /** Limit for any 24 hours. */
  readonly maxDailyUsd: Decimal
  readonly maxSlippageBps: number
  /** Maximum loss of the minimum output against the amount paid, at oracle prices. */
  readonly maxLossBps: number
}

export interface PolicySource {
  /** Null allows nothing. */
  policy(wallet: Address): Promise<WalletPolicy | null>
  stopped(): Promise<string | null>
}

export interface TradeFacts {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly between: readonly Address[]
  /** Includes the allowance's spender. */
  readonly contracts: readonly Address[]
  readonly slippageBps: number
  /** Value at oracle prices; null when a price is missing. */
  readonly amountInUsd: Decimal | null
  readonly minimumOutUsd: Decimal | null
}

export type PolicyRule =
  | 'kill-switch'
  | 'no-policy'
  | 'wallet-disabled'
  | 'chain'
  | 'token'
  | 'contract'
  | 'slippage'
  | 'price-unknown'
  | 'trade-cap'
  | 'daily-cap'
  | 'loss'

export type PolicyDecision =
  | { readonly allowed: true; readonly usd: Decimal; readonly reason: string }
  | { readonly allowed: false; readonly rule: PolicyRule; readonly reason: string; readonly usd?: Decimal }

export const DAY_MS = 86_400_000

/** `spentUsd` excludes this trade. */
export function decide(policy: WalletPolicy | null, stopped: string | null, trade: TradeFacts, spentUsd: Decimal): PolicyDecision {
  if (stopped !== null) return deny('kill-switch', `all trading is stopped: ${stopped}`)
  if (policy === null) return deny('no-policy', 'this wallet has no policy')
  if (!policy.enabled) return deny('wallet-disabled', 'trading with this wallet is stopped')
  const { chainId } = trade
  if (!policy.chainIds.includes(chainId)) return deny('chain', `chain ${chainId} is not allowed`)
  const has = (list: WalletPolicy['tokens'], address: Address) =>
    list.some((entry) => entry.chainId === chainId && entry.address === address)
  for (const token of [trade.tokenIn, ...trade.between, trade.tokenOut])
    if (!has(policy.tokens, token)) return deny('token', `token ${token} is not allowed`)
  if (trade.contracts.length === 0) return deny('contract', 'nothing is called')
  for (const contract of trade.contracts)
    if (!has(policy.contracts, contract)) return deny('contract', `contract ${contract} is not allowed`)
  if (!(trade.slippageBps >= 0 && trade.slippageBps <= policy.maxSlippageBps)) {
    return deny('slippage', `slippage of ${trade.slippageBps} bps, ${policy.maxSlippageBps} are allowed`)
  }
  const { amountInUsd, minimumOutUsd } = trade
  if (!isValue(amountInUsd) || !isValue(minimumOutUsd))
    return deny('price-unknown', 'the price of a token is unknown, so no cap can be checked')
  // The higher value counts, so a bad price cannot evade caps.
  const usd = Decimal.max(amountInUsd, minimumOutUsd)
  if (!usd.lte(policy.maxTradeUsd)) return deny('trade-cap', `worth ${shown(usd)} USD, a trade may be worth ${shown(policy.maxTradeUsd)}`)
  if (!usd.plus(spentUsd).lte(policy.maxDailyUsd)) {
    const reason = `worth ${shown(usd)} USD, ${shown(spentUsd)} of ${shown(policy.maxDailyUsd)} are spent in the last 24 hours`
    return { allowed: false, rule: 'daily-cap', reason, usd }
  }
  const least = amountInUsd.mul(10_000 - policy.maxLossBps).div(10_000)
  if (!minimumOutUsd.gte(least)) {
    return deny('loss', `at least ${shown(minimumOutUsd)} USD for ${shown(amountInUsd)}; at most ${policy.maxLossBps} bps may be lost`)
  }
  return { allowed: true, usd, reason: `worth ${shown(usd)} USD, ${shown(spentUsd)} spent before` }
}

function isValue(value: Decimal | null): value is Decimal {
  return value?.isFinite() === true && value.gte(0)
}

function shown(usd: Decimal): string {
  return usd.toDecimalPlaces(2, Decimal.ROUND_UP).toFixed()
}

function deny(rule: PolicyRule, reason: string): PolicyDecision {
  return { allowed: false, rule, reason }
}
