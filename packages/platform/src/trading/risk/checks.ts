/** Scores are from 0 to 10, or null without data. A caller's thresholds can only make a check stricter. */
import type { Address } from '@keelson/primitives'
import { isNative } from '../../market/chain/native-address.ts'
import { Decimal } from '../../market/decimal.ts'
import type { ReportedCheckName, RiskCheck, RiskCheckName } from '../../schemas/risk.ts'
import type { TradingMarket } from '../ports.ts'
import { oracleRate } from '../read-swap.ts'
import { type Curve, FAILED_AT_MOST, levelOf, roundScore, scoreOn } from './score.ts'

export type RiskSources = Pick<TradingMarket, 'facts' | 'largestFlow' | 'gas' | 'price' | 'spotPrice'>

export interface RiskSubject {
  readonly chainId: number
  /** Sold token first, bought token last. */
  readonly tokens: readonly Address[]
  readonly priceImpactBps: number | null
  readonly slippageBps: number | null
  readonly maxPriceImpactBps: number | null
  readonly maxSlippageBps: number | null
  readonly minLiquidityUsd: number | null
}

export interface Finding {
  readonly name: ReportedCheckName
  /** Not rounded. */
  readonly score: Decimal | null
  readonly details: RiskCheck['details']
  readonly flags: readonly string[]
}

type Check = (subject: RiskSubject, sources: RiskSources) => Promise<Finding>

/** Percent of the required liquidity. */
export const LIQUIDITY_CURVE: Curve = [
  [0, 0],
  [50, 3.9],
  [100, 7],
  [500, 10],
]
/** Basis points of the pools' reserves. */
export const FLOW_CURVE: Curve = [
  [100, 10],
  [500, 7],
  [1_000, 4],
  [2_500, 0],
]
/** Basis points. */
export const PRICE_CURVE: Curve = [
  [50, 10],
  [200, 7],
  [500, 4],
  [1_000, 0],
]
/** Percent of the usual base fee. */
export const GAS_CURVE: Curve = [
  [125, 10],
  [200, 7],
  [400, 4],
  [1_000, 0],
]
const DEFAULT_MIN_LIQUIDITY_USD = 10_000
const UNLISTED_AT_MOST = 6.9

const rug: Check = async (subject, market) => {
  const minLiquidity = Decimal.max(subject.minLiquidityUsd ?? 0, DEFAULT_MIN_LIQUIDITY_USD)
  const found = await Promise.all(subject.tokens.map(async (token) => ({ token, facts: await market.facts(subject.chainId, token) })))
  const flags: string[] = []
  let worst = new Decimal(10)
  let leastLiquidity: Decimal | null = null
  for (const { token, facts: known } of found) {
    if (known === null) return unknown('rug', `nothing is known of token ${token}`)
    if (!known.hasCode && !isNative(token)) {
      return finding('rug', new Decimal(0), { summary: `${token} has no code: it is no token`, token }, ['rug:no_code'])
    }
    if (known.liquidityUsd === null) return unknown('rug', `the liquidity of token ${token} cannot be valued`)
    if (!known.listed) {
      worst = Decimal.min(worst, UNLISTED_AT_MOST)
      flags.push('rug:unlisted_token')
    }
    if (known.liquidityUsd.lt(minLiquidity)) flags.push('rug:liquidity_below_threshold')
    const percent = known.liquidityUsd.mul(100).div(minLiquidity)
    worst = Decimal.min(worst, scoreOn(LIQUIDITY_CURVE, percent))
    leastLiquidity = leastLiquidity === null ? known.liquidityUsd : Decimal.min(leastLiquidity, known.liquidityUsd)
  }
  const least = (leastLiquidity ?? new Decimal(0)).toDecimalPlaces(2).toFixed()
  const listed = found.filter(({ facts: known }) => known?.listed).length
  const summary = `${listed} of ${found.length} tokens are listed; the least liquidity is ${least} USD, ${minLiquidity.toFixed()} are asked for`
  const failed = flags.includes('rug:liquidity_below_threshold')
  return finding('rug', atMost(worst, failed), { summary, liquidity_usd: least, min_liquidity_usd: minLiquidity.toFixed() }, flags)
}

const whaleFlow: Check = async ({ chainId, tokens }, market) => {
  let share = 0
  let windowSec = 0
  for (const token of tokens) {
    const flow = await market.largestFlow(chainId, token)
    if (flow === null) return unknown('whale_flow', `the recent movements of token ${token} cannot be seen`)
    if (flow.shareBps >= share) {
      share = flow.shareBps
      windowSec = flow.windowSec
    }
  }
  const summary = `the largest movement of one account was ${share} bps of the pools in the last ${windowSec} s`
  const score = scoreOn(FLOW_CURVE, new Decimal(share))
  return finding('whale_flow', score, { summary, share_bps: share, window_sec: windowSec }, score.lt(4) ? ['whale_flow:large_flow'] : [])
}

const priceSanity: Check = async (subject, market) => {
  const { chainId, tokens } = subject
  const tokenIn = tokens[0] as Address
  const tokenOut = tokens.at(-1) as Address
  const flags: string[] = []
  let deviationBps = new Decimal(0)
  if (tokenIn !== tokenOut) {
    const [priceIn, priceOut, spot] = await Promise.all([
      market.price(chainId, tokenIn),
      market.price(chainId, tokenOut),
      market.spotPrice(chainId, tokenIn, tokenOut),
    ])
    const rate = oracleRate({ priceIn, priceOut })
    if (rate === null) return unknown('price_sanity', 'the oracle has no price of one of the tokens')
    if (spot === null || !spot.gt(0)) return unknown('price_sanity', 'no pool has a price of these tokens')
    deviationBps = spot.div(rate).minus(1).abs().mul(10_000)
  }
  const { priceImpactBps, slippageBps, maxPriceImpactBps, maxSlippageBps } = subject
  if (maxPriceImpactBps !== null && priceImpactBps !== null && priceImpactBps > maxPriceImpactBps) {
    flags.push('price_sanity:price_impact_above_threshold')
  }
  if (maxSlippageBps !== null && slippageBps !== null && slippageBps > maxSlippageBps) {
    flags.push('price_sanity:slippage_above_threshold')
  }
  const breached = flags.length > 0
  const priceScore = scoreOn(PRICE_CURVE, Decimal.max(deviationBps, Math.abs(priceImpactBps ?? 0)))
  const slippageScore = scoreOn(PRICE_CURVE, new Decimal(slippageBps ?? 0))
  if (isFailed(priceScore)) flags.push('price_sanity:price_off')
  if (isFailed(slippageScore)) flags.push('price_sanity:slippage_far_from_usual')
  const score = Decimal.min(priceScore, slippageScore)
  const deviation = deviationBps.toDecimalPlaces(1, Decimal.ROUND_HALF_UP).toNumber()
  const impact = priceImpactBps === null ? 'the quote names no impact' : `the impact is ${priceImpactBps} bps`
  const slippage = slippageBps === null ? 'it names no slippage' : `up to ${slippageBps} bps may be lost to slippage`
  const summary = `pools and oracle are ${deviation} bps apart; ${impact}; ${slippage}`
  const figures = { deviation_bps: deviation, price_impact_bps: priceImpactBps, slippage_bps: slippageBps }
  return finding('price_sanity', atMost(score, breached), { summary, ...figures }, flags)
}

const gasSpike: Check = async ({ chainId }, market) => {
  const state = await market.gas(chainId)
  if (state === null) return unknown('gas_spike', `the base fees of chain ${chainId} cannot be seen`)
  const { baseFeeWei, medianBaseFeeWei } = state
  const usual = medianBaseFeeWei > 0n ? medianBaseFeeWei : 1n
  const percent = new Decimal(baseFeeWei.toString()).mul(100).div(usual.toString())
  const score = scoreOn(GAS_CURVE, percent)
  const shown = percent.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toFixed()
  const details = {
    summary: `the base fee is ${shown} % of the usual one`,
    base_fee_wei: String(baseFeeWei),
    median_base_fee_wei: String(medianBaseFeeWei),
  }
  return finding('gas_spike', score, details, score.lt(4) ? ['gas_spike:high_base_fee'] : [])
}

export const CHECKS: Readonly<Record<RiskCheckName, Check>> = {
  rug,
  whale_flow: whaleFlow,
  price_sanity: priceSanity,
  gas_spike: gasSpike,
}

export function unanswered(name: RiskCheckName, error: unknown): Finding {
  return unknown(name, `its source cannot be asked: ${error instanceof Error ? error.message : 'no answer'}`.slice(0, 300))
}

function isFailed(score: Decimal): boolean {
  return levelOf(roundScore(score)) === 'high'
}

function atMost(score: Decimal, failed: boolean): Decimal {
  return failed ? Decimal.min(score, FAILED_AT_MOST) : score
}

function unknown(name: RiskCheckName, summary: string): Finding {
  return { name, score: null, details: { summary }, flags: [`${name}:no_data`] }
}

function finding(name: RiskCheckName, score: Decimal, details: Finding['details'], flags: readonly string[]): Finding {
  return { name, score, details, flags: [...new Set(flags)] }
}
