import type { Address, Clock } from '@keelson/primitives'
import type { Thresholds } from '../../schemas/evm-input.ts'
import { RISK_CHECKS, type RiskCheck, type RiskCheckName, type RiskReport, type RiskRequest } from '../../schemas/risk.ts'
import { normalizeToken } from '../evm-address.ts'
import type { QuoteStore } from '../stores/quotes.ts'
import { checkQuote } from './check-quote.ts'
import { CHECKS, type Finding, type RiskSources, type RiskSubject, unanswered } from './checks.ts'
import { aggregateOf, levelOf, roundScore } from './score.ts'

const PASS_FROM = 4

/** Never throws: a failed source leaves no score, and the report is `unknown`. */
export async function assessRisk(
  subject: RiskSubject,
  checks: readonly RiskCheckName[],
  market: RiskSources,
  known: readonly Finding[] = [],
): Promise<RiskReport> {
  const wanted = RISK_CHECKS.filter((name) => checks.includes(name))
  const found = await Promise.all(wanted.map((name) => CHECKS[name](subject, market).catch((error: unknown) => unanswered(name, error))))
  const findings = [...found, ...known]
  const aggregate = aggregateOf(findings.map(({ score }) => score))
  return {
    level: levelOf(aggregate),
    aggregate_score: aggregate,
    checks: findings.map(toEntry),
    flags: findings.flatMap(({ flags }) => flags),
  }
}

export type RiskAssessor = ReturnType<typeof createRiskAssessor>

export interface RiskDependencies {
  readonly market: RiskSources
  readonly quotes: QuoteStore
  readonly clock: Clock
}

export function createRiskAssessor(defaultChainId: number, deps: RiskDependencies) {
  return {
    async preview({ quote, input, thresholds }: RiskRequest, sessionId: string): Promise<RiskReport> {
      const found = await deps.quotes.get(quote.quote_id)
      const stored = found?.sessionId === sessionId ? found : null
      const subject = riskSubject(input.chain_id ?? stored?.input.chain_id ?? defaultChainId, input.addresses.map(normalizeToken), {
        // The worse value counts, so a caller cannot improve it.
        priceImpactBps: worse(stored?.quote.price_impact_bps, quote.price_impact_bps),
        slippageBps: worse(stored?.quote.slippage_bps, quote.slippage_bps),
        thresholds,
      })
      const { finding, flags } = checkQuote(quote, stored, deps.clock.nowMs())
      const report = await assessRisk(subject, input.checks ?? RISK_CHECKS, deps.market, finding === null ? [] : [finding])
      return { ...report, flags: [...report.flags, ...flags] }
    },
    assessTokens(chainId: number, addresses: readonly string[], checks: readonly RiskCheckName[]): Promise<RiskReport> {
      const nothing = { priceImpactBps: null, slippageBps: null, thresholds: undefined }
      return assessRisk(riskSubject(chainId, addresses.map(normalizeToken), nothing), checks, deps.market)
    },
  }
}

export function riskSubject(
  chainId: number,
  tokens: readonly Address[],
  rest: Pick<RiskSubject, 'priceImpactBps' | 'slippageBps'> & { readonly thresholds: Thresholds | undefined },
): RiskSubject {
  const { priceImpactBps, slippageBps, thresholds } = rest
  return {
    chainId,
    tokens,
    priceImpactBps,
    slippageBps,
    maxPriceImpactBps: thresholds?.max_price_impact_bps ?? null,
    maxSlippageBps: thresholds?.max_slippage_bps ?? null,
    minLiquidityUsd: thresholds?.min_liquidity_usd ?? null,
  }
}

export function breachedThresholds(report: RiskReport): readonly string[] {
  return report.flags.filter((flag) => flag.endsWith('_threshold'))
}

function toEntry({ name, score, details }: Finding): RiskCheck {
  const rounded = score === null ? null : roundScore(score)
  const result = rounded === null ? 'unknown' : rounded >= PASS_FROM ? 'pass' : 'fail'
  return { name, result, type: name, passed: result === 'pass', score: rounded, details }
}

function worse(given: number | undefined, claimed: number | undefined): number | null {
  if (given === undefined) return claimed ?? null
  return claimed === undefined ? given : Math.max(given, claimed)
}
