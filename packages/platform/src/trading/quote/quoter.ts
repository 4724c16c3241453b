/** Reference quotes come from oracle prices, executable ones from the exchange. */
import type { Clock, Random } from '@keelson/primitives'
import { Decimal, formatAmount, unitsToDecimal } from '../../market/decimal.ts'
import type { EvmInput } from '../../schemas/evm-input.ts'
import type { Quote } from '../../schemas/quote.ts'
import { toUnitsDown, valueUsd } from '../amounts.ts'
import type { DexRoute, TradingMarket } from '../ports.ts'
import { type InputProblem, noRouteBecause, oracleRate, readSwap, type Swap } from '../read-swap.ts'
import type { QuoteStore } from '../stores/quotes.ts'
import { createQuoteId, inputDigest, REFERENCE_VENUE } from './bind-quote.ts'

export interface QuoteOptions {
  readonly lifeMs: number
  readonly referenceFeeBps: number
}

export interface QuoteDependencies {
  readonly market: Pick<TradingMarket, 'chainIds' | 'token' | 'price' | 'bestRoute' | 'spotPrice'>
  readonly quotes: QuoteStore
  readonly clock: Clock
  readonly random: Random
}

interface NoQuote {
  readonly ok: false
  readonly field: null
  readonly reason: 'no-price' | 'no-route' | 'nothing-out'
  readonly detail: string
}

export type QuoteOutcome =
  | { readonly ok: true; readonly quote: Quote; readonly swap: Swap; readonly expectedOut: bigint; readonly dexRoute: DexRoute | null }
  | InputProblem
  | NoQuote

export type Quoter = ReturnType<typeof createQuoter>

const PRUNE_EVERY = 64

export function createQuoter(options: QuoteOptions, deps: QuoteDependencies) {
  const { market, quotes, clock, random } = deps
  let given = 0

  async function issue(
    input: EvmInput,
    sessionId: string,
    swap: Swap,
    expectedOut: bigint,
    rest: Pick<Quote, 'route' | 'price_impact_bps' | 'fees' | 'gas_estimate' | 'venue'>,
  ): Promise<Quote> {
    const nowMs = clock.nowMs()
    const expiresAtMs = nowMs + options.lifeMs
    const quote: Quote = {
      ...rest,
      expected_out: formatAmount(expectedOut, swap.tokenOut.decimals),
      slippage_bps: swap.slippageBps,
      quote_id: createQuoteId(random),
      expires_at: new Date(expiresAtMs).toISOString(),
    }
    if (given++ % PRUNE_EVERY === 0) await quotes.deleteExpired(nowMs)
    const expectedOutUnits = String(expectedOut)
    await quotes.put({ quote, sessionId, input, inputDigest: inputDigest(input), expectedOutUnits, expiresAtMs })
    return quote
  }

  return {
    async reference(input: EvmInput, sessionId: string): Promise<QuoteOutcome> {
      const read = await readSwap(input, market)
      if (!read.ok) return read
      const { swap } = read
      const rate = oracleRate(swap)
      if (rate === null) return noQuote('no-price', `there is no oracle price of both ${swap.tokenIn.symbol} and ${swap.tokenOut.symbol}`)
      const whole = unitsToDecimal(swap.amountIn, swap.tokenIn.decimals).mul(rate)
      const expectedOut = toUnitsDown(whole.mul(10_000 - options.referenceFeeBps).div(10_000), swap.tokenOut.decimals)
      if (expectedOut === 0n) return noQuote('nothing-out', `the amount buys less than the smallest unit of ${swap.tokenOut.symbol}`)
      const quote = await issue(input, sessionId, swap, expectedOut, {
        route: [swap.tokenIn.address, swap.tokenOut.address],
        price_impact_bps: 0,
        fees: { swap_fee_bps: options.referenceFeeBps },
        gas_estimate: null,
        venue: REFERENCE_VENUE,
      })
      return { ok: true, quote, swap, expectedOut, dexRoute: null }
    },
    async executable(input: EvmInput, sessionId: string): Promise<QuoteOutcome> {
      const read = await readSwap(input, market)
      if (!read.ok) return read
      const { swap } = read
      const found = await market.bestRoute(swap.chainId, swap.tokenIn.address, swap.tokenOut.address, swap.amountIn)
      if (found === null) {
        const { reason, detail } = await noRouteBecause(swap, market)
        return noQuote(reason, detail)
      }
      if (found.amountOut <= 0n) return noQuote('nothing-out', `the pools give nothing for this amount of ${swap.tokenIn.symbol}`)
      const quote = await issue(input, sessionId, swap, found.amountOut, {
        route: [...found.path],
        price_impact_bps: found.priceImpactBps,
        fees: { swap_fee_bps: found.swapFeeBps, ...feeUsd(swap, found) },
        gas_estimate: String(swapGas(found.path.length)),
        venue: found.venue,
      })
      return { ok: true, quote, swap, expectedOut: found.amountOut, dexRoute: found }
    },
  }
}

type BestQuote = QuoteOutcome & {
  readonly referenceBecause: string | null
}

export async function bestQuote(quoter: Pick<Quoter, 'executable' | 'reference'>, input: EvmInput, sessionId: string): Promise<BestQuote> {
  const executable = await quoter.executable(input, sessionId)
  if (executable.ok || executable.field !== null) return { ...executable, referenceBecause: null }
  const reference = await quoter.reference(input, sessionId)
  if (reference.ok || reference.field !== null) return { ...reference, referenceBecause: executable.detail }
  return { ...reference, detail: `${executable.detail}; ${reference.detail}`, referenceBecause: executable.detail }
}

/** An estimate; the gas limit comes from the simulation. */
function swapGas(tokens: number): number {
  return 80_000 + 70_000 * (tokens - 1)
}

function feeUsd(swap: Swap, route: DexRoute): { readonly swap_fee_usd?: string } {
  const worth = valueUsd(swap.amountIn, swap.tokenIn, swap.priceIn)
  return worth === null ? {} : { swap_fee_usd: worth.mul(route.swapFeeBps).div(10_000).toDecimalPlaces(6, Decimal.ROUND_HALF_UP).toFixed() }
}

function noQuote(reason: NoQuote['reason'], detail: string): NoQuote {
  return { ok: false, field: null, reason, detail }
}
