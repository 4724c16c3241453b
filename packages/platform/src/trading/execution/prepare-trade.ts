/** Changes nothing, so that simulations and executions share the same checks. */
import type { TransactionFees } from '@keelson/client'
import type { Address, Clock } from '@keelson/primitives'
import { NATIVE_ADDRESS } from '../../market/chain/native-address.ts'
import { Decimal, formatAmount, unitsToDecimal } from '../../market/decimal.ts'
import { minimumOut } from '../../market/pools/amm.ts'
import type { ExecutionRequest } from '../../schemas/execution.ts'
import { RISK_CHECKS, type RiskReport } from '../../schemas/risk.ts'
import { valueUsd } from '../amounts.ts'
import { dailyCapRefusal } from '../policy/daily-cap.ts'
import { DAY_MS, decide, type PolicyDecision, type PolicySource, type WalletPolicy } from '../policy/policy.ts'
import type { DexRoute, TradingMarket } from '../ports.ts'
import { bindQuote } from '../quote/bind-quote.ts'
import { noRouteBecause, readSwap, type Swap } from '../read-swap.ts'
import { assessRisk, breachedThresholds, riskSubject } from '../risk/assess.ts'
import type { RiskSubject } from '../risk/checks.ts'
import type { ExecutionStore } from '../stores/executions.ts'
import type { QuoteStore, StoredQuote } from '../stores/quotes.ts'
import { feesFor, gasCostWei, type PricedCall } from './place-trade.ts'
import { approvalCalls, routeProblem, simulatedOut, swapCall, tokensBetween } from './plan-swap.ts'
import { type Refusal, refuse, type SignedAttempt, type TradeTerms } from './record.ts'
import type { PlannedCall, SimulatedCall, TradingChain } from './trading-chain.ts'

export interface PrepareOptions {
  readonly deadlineSec: number
  readonly maxGasCostWei: bigint
  /** Limit per wallet and chain in 24 hours, including fees of reverted trades. */
  readonly maxDailyGasWei: bigint
}

export interface PrepareDependencies {
  readonly market: TradingMarket
  readonly policies: PolicySource
  readonly quotes: QuoteStore
  readonly executions: Pick<ExecutionStore, 'spentUsd' | 'capUse' | 'gasSpentWei'>
  readonly clock: Clock
}

export interface TradeRequest {
  readonly executionId: string
  readonly sessionId: string
  readonly wallet: Address
  readonly chain: TradingChain
  readonly request: ExecutionRequest
  readonly replaced: readonly SignedAttempt[]
}

export interface PreparedTrade {
  readonly calls: readonly PricedCall[]
  readonly fees: TransactionFees
  readonly terms: TradeTerms
  readonly policy: WalletPolicy
  readonly usd: Decimal
  readonly reason: string
}

export async function prepareTrade(
  options: PrepareOptions,
  asked: TradeRequest,
  deps: PrepareDependencies,
): Promise<PreparedTrade | Refusal> {
  const { request, chain, wallet } = asked
  const { input } = request
  const bound = request.quote_id === undefined ? null : await bindQuote(request.quote_id, asked.sessionId, input, deps)
  if (bound !== null && !bound.ok) return refuse(`quote-${bound.reason}`, QUOTE_TEXTS[bound.reason])
  const read = await readSwap(input, deps.market)
  if (!read.ok) return refuse('input', read.detail, { field: read.field })
  const { swap } = read
  const route = await deps.market.bestRoute(swap.chainId, swap.tokenIn.address, swap.tokenOut.address, swap.amountIn)
  if (route === null) {
    const { reason, detail } = await noRouteBecause(swap, deps.market)
    return refuse(reason, detail)
  }
  const wrong = routeProblem(swap, route, chain.wrappedNative)
  if (wrong !== null) return refuse('no-route', `the exchange named ${wrong}`)
  const least = leastOutput(swap, route, bound?.stored ?? null)
  if (least <= 0n) return refuse('nothing-out', nothingCertain(swap))
  if (route.amountOut < least) return refuse('quote-moved', moved(swap, route.amountOut, least))
  const risky = await riskRefusal(request, swap, route, deps)
  if (risky !== null) return risky
  const nowMs = deps.clock.nowMs()
  const [policy, stopped, spent] = await Promise.all([
    deps.policies.policy(wallet),
    deps.policies.stopped(),
    deps.executions.spentUsd(wallet, nowMs - DAY_MS, asked.executionId),
  ])
  const facts = {
    chainId: swap.chainId,
    tokenIn: swap.tokenIn.address,
    tokenOut: swap.tokenOut.address,
    between: tokensBetween(route, chain.wrappedNative),
    contracts: [route.router],
    slippageBps: swap.slippageBps,
    amountInUsd: valueUsd(swap.amountIn, swap.tokenIn, swap.priceIn),
    minimumOutUsd: valueUsd(least, swap.tokenOut, swap.priceOut),
  }
  const decision = decide(policy, stopped, facts, spent)
  if (!decision.allowed && decision.rule === 'daily-cap' && policy !== null && decision.usd !== undefined)
    return refuseOverCap(wallet, { executionId: asked.executionId, usd: decision.usd, maxUsd: policy.maxDailyUsd }, deps)
  if (!decision.allowed || policy === null) return policyRefusal(decision)
  const deadlineSec = (await chain.timestampSec(await chain.headNumber())) + options.deadlineSec
  const planned = await planCalls(
    swap,
    { route, wallet, minimumOut: least, deadlineSec, wrappedNative: chain.wrappedNative },
    asked,
    // includes all fees, because the wallet's previous trade is settled
    { ...options, paidGasWei: await deps.executions.gasSpentWei(wallet, swap.chainId, nowMs - DAY_MS) },
  )
  if ('code' in planned) return planned
  const terms = termsOf(swap, route, least, deadlineSec)
  return { ...planned, terms, policy, usd: decision.usd, reason: decision.reason }
}

/** What the market or an operator at the stop file can change. */
const PASSING_RULES: ReadonlySet<string> = new Set(['kill-switch', 'price-unknown', 'loss'])

export function policyRefusal(decision: PolicyDecision): Refusal {
  const rule = decision.allowed ? 'no-policy' : decision.rule
  return refuse('policy', decision.reason, { rule, retryable: PASSING_RULES.has(rule) })
}

export async function refuseOverCap(
  wallet: Address,
  { executionId, usd, maxUsd }: { readonly executionId: string; readonly usd: Decimal; readonly maxUsd: Decimal },
  { executions, clock }: Pick<PrepareDependencies, 'executions' | 'clock'>,
): Promise<Refusal> {
  return dailyCapRefusal(usd, maxUsd, await executions.capUse(wallet, clock.nowMs() - DAY_MS, executionId, maxUsd.minus(usd)))
}

const FULL_SLIPPAGE_BPS = 10_000

const QUOTE_TEXTS = {
  unknown: 'there is no such quote in this session',
  expired: 'the quote has expired: ask for another',
  'other-input': 'the quote is for another swap: token, amount and slippage must be the same',
  reference:
    'a reference quote is computed from oracle prices and cannot be executed: POST /api/v1/multi-agent/preview/run gives one that can',
} as const

/** The higher of the pools' offer and the quote, each reduced by the slippage. */
function leastOutput(swap: Swap, route: DexRoute, bound: StoredQuote | null): bigint {
  const now = minimumOut(route.amountOut, swap.slippageBps)
  const quoted = bound === null ? 0n : minimumOut(BigInt(bound.expectedOutUnits), swap.slippageBps)
  return now > quoted ? now : quoted
}

function nothingCertain({ tokenIn, tokenOut, slippageBps }: Swap): string {
  return slippageBps >= FULL_SLIPPAGE_BPS
    ? `slippage of ${slippageBps} bps lets everything be lost: name less of it`
    : `so little ${tokenIn.symbol} is sold that no ${tokenOut.symbol} is certain to come out`
}

function moved({ tokenOut }: Swap, offered: bigint, least: bigint): string {
  const shown = (units: bigint) => `${formatAmount(units, tokenOut.decimals)} ${tokenOut.symbol}`
  return `the price moved: ${shown(offered)} would come out, the quote and its slippage ask for ${shown(least)}`
}

async function riskRefusal(
  { skip_risk: skip, thresholds }: ExecutionRequest,
  swap: Swap,
  { priceImpactBps }: DexRoute,
  deps: PrepareDependencies,
): Promise<Refusal | null> {
  const { slippageBps } = swap
  if (skip === true) {
    const { max_price_impact_bps: maxImpact, max_slippage_bps: maxSlippage } = thresholds ?? {}
    if (maxImpact !== undefined && priceImpactBps > maxImpact) {
      return refuse('threshold', `the price impact is ${priceImpactBps} bps, at most ${maxImpact} are asked for`)
    }
    if (maxSlippage !== undefined && slippageBps > maxSlippage) {
      return refuse('threshold', `the slippage is ${slippageBps} bps, at most ${maxSlippage} are asked for`)
    }
    return illiquid(thresholds?.min_liquidity_usd, swap, deps)
  }
  const subject = riskSubject(swap.chainId, [swap.tokenIn.address, swap.tokenOut.address], { priceImpactBps, slippageBps, thresholds })
  const report = await assessRisk(subject, RISK_CHECKS, deps.market)
  const why = riskReason(report, subject)
  return why === null ? null : refuse('risk', why, { report })
}

/** Also holds when the risk is not assessed. */
async function illiquid(
  leastUsd: number | undefined,
  { chainId, tokenIn, tokenOut }: Swap,
  { market }: Pick<PrepareDependencies, 'market'>,
): Promise<Refusal | null> {
  if (leastUsd === undefined) return null
  const pools = await Promise.all([tokenIn, tokenOut].map(async (token) => ({ token, known: await market.facts(chainId, token.address) })))
  for (const { token, known } of pools) {
    const liquidity = known?.liquidityUsd ?? null
    if (liquidity === null)
      return refuse('threshold', `the liquidity of ${token.symbol} cannot be valued, at least ${leastUsd} USD are asked for`)
    if (liquidity.lt(leastUsd)) {
      const shown = liquidity.toDecimalPlaces(2, Decimal.ROUND_DOWN).toFixed()
      return refuse('threshold', `the deepest pool of ${token.symbol} holds ${shown} USD, at least ${leastUsd} are asked for`)
    }
  }
  return null
}

function riskReason(report: RiskReport, { priceImpactBps, slippageBps, ...limits }: RiskSubject): string | null {
  const figures: Readonly<Record<string, string>> = {
    'price_sanity:price_impact_above_threshold': `the price impact is ${priceImpactBps} bps, at most ${limits.maxPriceImpactBps} are asked for`,
    'price_sanity:slippage_above_threshold': `the slippage is ${slippageBps} bps, at most ${limits.maxSlippageBps} are asked for`,
    'rug:liquidity_below_threshold': report.checks.find(({ name }) => name === 'rug')?.details.summary ?? 'too little liquidity',
  }
  const breached = breachedThresholds(report)
  if (breached.length > 0) return `a threshold is broken: ${breached.map((flag) => figures[flag] ?? flag).join('; ')}`
  if (report.level === 'high') return `the risk is high (${report.aggregate_score} of 10): ${report.flags.join(', ')}`
  return report.level === 'unknown' ? `the risk is unknown, data is missing: ${report.flags.join(', ')}` : null
}

async function planCalls(
  swap: Swap,
  terms: Parameters<typeof swapCall>[1],
  asked: TradeRequest,
  limits: PrepareOptions & { readonly paidGasWei: bigint },
): Promise<Pick<PreparedTrade, 'calls' | 'fees'> | Refusal> {
  const { chain, wallet } = asked
  const token = swap.tokenIn.address
  const native = token === NATIVE_ADDRESS
  const [balanceWei, held, allowance, quote] = await Promise.all([
    chain.balanceWei(wallet),
    native ? null : chain.tokenBalance(token, wallet),
    native ? 0n : chain.allowance(token, wallet, terms.route.router),
    chain.feeQuote(),
  ])
  if ((held ?? balanceWei) < swap.amountIn) return refuse('funds', `the wallet has ${shownIn(swap, held ?? balanceWei)}`)
  const swapping = swapCall(swap, terms)
  const planned: readonly (PlannedCall & Pick<PricedCall, 'purpose'>)[] = [
    ...approvalCalls(token, terms.route.router, allowance, swap.amountIn).map((call) => ({ ...call, purpose: 'approve' as const })),
    { ...swapping, purpose: 'swap' },
  ]
  const simulated = await chain.simulate(wallet, planned)
  const failed = simulated.find(({ ok }) => !ok)
  if (failed !== undefined || simulated.length !== planned.length) {
    return refuse('simulation', `it would fail on chain: ${failed?.reason ?? 'no reason is given'}`)
  }
  const out = simulatedOut((simulated.at(-1) as SimulatedCall).output)
  // The router checks this too, but a chain with another result is not trusted.
  if (out < terms.minimumOut) return refuse('simulation', moved(swap, out, terms.minimumOut))
  const calls = planned.map((call, i) => ({ ...call, gasLimit: withMargin((simulated[i] as SimulatedCall).gasUsed) }))
  const fees = feesFor(quote, asked.replaced)
  const costWei = gasCostWei(calls, fees) + (await chain.dataFeeWei(calls))
  if (costWei > limits.maxGasCostWei) {
    return refuse('gas-cost', `gas could cost ${costWei} wei, ${limits.maxGasCostWei} are allowed`)
  }
  if (limits.paidGasWei + costWei > limits.maxDailyGasWei) {
    const spent = `${limits.paidGasWei} of ${limits.maxDailyGasWei} wei were paid for gas in the last 24 hours`
    return refuse('gas-cost', `gas could cost ${costWei} wei, ${spent}`)
  }
  if (balanceWei < costWei + swapping.valueWei) {
    return refuse('funds', `the wallet has ${balanceWei} wei; value and gas may take ${costWei + swapping.valueWei}`)
  }
  return { calls, fees }
}

/** Pools change before the block, and refunds make the limit exceed the gas used. */
function withMargin(gasUsed: bigint): bigint {
  return (gasUsed * 3n) / 2n + 20_000n
}

function shownIn({ tokenIn, amountIn }: Swap, held: bigint): string {
  return `${formatAmount(held, tokenIn.decimals)} ${tokenIn.symbol}, ${formatAmount(amountIn, tokenIn.decimals)} are to be sold`
}

function termsOf(swap: Swap, route: DexRoute, least: bigint, deadlineSec: number): TradeTerms {
  const { tokenIn, tokenOut, priceIn, priceOut } = swap
  return {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    symbolIn: tokenIn.symbol,
    symbolOut: tokenOut.symbol,
    decimalsIn: tokenIn.decimals,
    decimalsOut: tokenOut.decimals,
    amountIn: String(swap.amountIn),
    expectedOut: String(route.amountOut),
    minimumOut: String(least),
    priceInUsd: (priceIn?.usd ?? new Decimal(0)).toFixed(),
    priceOutUsd: (priceOut?.usd ?? new Decimal(0)).toFixed(),
    venue: route.venue,
    deadlineSec,
  }
}

export function leastText({ minimumOut: least, decimalsOut, symbolOut }: TradeTerms): string {
  return `${unitsToDecimal(BigInt(least), decimalsOut).toFixed()} ${symbolOut}`
}
