import { ApiError } from '../http/api-error.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { NO_CHAIN } from '../market/chain/chains.ts'
import { orOutage } from '../market/tool-answer.ts'
import type { EvmInput } from '../schemas/evm-input.ts'
import { IntentPreview, PreviewRequest, PreviewRun, PreviewRunRequest } from '../schemas/preview.ts'
import type { TokenNames } from '../tools/token-names.ts'
import { REFERENCE_VENUE } from '../trading/quote/bind-quote.ts'
import { bestQuote, type QuoteOutcome, type Quoter } from '../trading/quote/quoter.ts'
import { answerQuote } from '../trading/quote-answer.ts'
import type { RiskAssessor } from '../trading/risk/assess.ts'
import { disagreements } from './disagreement.ts'
import { type ReadIntent, readIntent } from './intent.ts'
import { type PairPrices, previewAmount } from './preview-amount.ts'

export interface PreviewDependencies {
  readonly names: TokenNames
  readonly prices: PairPrices
  readonly quotes: Quoter | null
  readonly risk: RiskAssessor | null
}

const PREVIEW = '/api/v1/multi-agent/preview'

export function createPreviewRoutes({ names, prices, quotes, risk }: PreviewDependencies): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: PREVIEW,
      tag: 'multi-agent',
      summary: 'Intent, entities and team of a text',
      auth: 'session',
      limit: RATE_LIMITS.read,
      body: PreviewRequest,
      answer: IntentPreview,
      handle: async ({ body: { text }, signal }) => answerPreview(readIntent(text, await names.all()), prices, signal),
    }),
    defineRoute({
      method: 'POST',
      path: `${PREVIEW}/run`,
      tag: 'multi-agent',
      summary: 'Intent of a text, with quote and risk of a swap; nothing is sent',
      auth: 'session',
      limit: RATE_LIMITS.write,
      // a quote, for ten minutes
      stores: { bytes: 4_096, byUser: false },
      body: PreviewRunRequest,
      answer: PreviewRun,
      refusals: [400],
      handle: ({ body: { text, evm_input, thresholds }, caller: { sessionId } }) =>
        orOutage(async (): Promise<PreviewRun> => {
          if (quotes === null || risk === null) throw new ApiError(503, NO_CHAIN.detail)
          const chains = await names.all()
          const { intent, team } = readIntent(text, chains)
          const best = await bestQuote(quotes, evm_input, sessionId)
          const outcome = answerQuote(best, evm_input, ['body', 'evm_input'])
          const { chain_id, token_in_address, token_out_address } = evm_input
          const report = await risk.preview(
            {
              quote: outcome.quote,
              input: { chain: 'evm', chain_id, addresses: [token_in_address, token_out_address] },
              ...(thresholds === undefined ? {} : { thresholds }),
            },
            sessionId,
          )
          const summary = summaryOf(evm_input, outcome, best.referenceBecause, report)
          return {
            intent,
            team,
            summary: [summary, ...warningOf(disagreements(text, evm_input, chains))].join(' '),
            quote: outcome.quote,
            risk: report,
          }
        }),
    }),
  ]
}

async function answerPreview(read: ReadIntent, prices: PairPrices, signal: AbortSignal): Promise<IntentPreview> {
  const { intent, team, tokenIn, tokenOut, chain } = read
  const { amount, conversion, question } = await previewAmount(read, prices, signal)
  return {
    intent,
    entities: {
      ...(tokenIn === null ? {} : { token_in: tokenIn }),
      ...(tokenOut === null ? {} : { token_out: tokenOut }),
      ...(amount === null && question === null ? {} : { amount }),
      ...(chain === null ? {} : { chain }),
    },
    team,
    ...(conversion === null ? {} : { conversion }),
    ...(question === null ? {} : { question }),
  }
}

function warningOf(found: readonly string[]): readonly string[] {
  return found.length === 0 ? [] : [`Warning: ${found.join('; ')}. evm_input is what was quoted.`]
}

function summaryOf(
  { amount_in, amount_in_currency }: EvmInput,
  { quote, swap }: QuoteOutcome & { ok: true },
  referenceBecause: string | null,
  risk: PreviewRun['risk'],
): string {
  const isReference = quote.venue === REFERENCE_VENUE
  const [bought, token] = [swap.tokenOut.symbol, swap.tokenIn.symbol]
  const sold = amount_in_currency === 'usd' ? `${amount_in} USD of ${token}` : `${amount_in} ${token}`
  const deal = isReference
    ? `Selling ${sold} would bring ${quote.expected_out} ${bought} at oracle prices; it cannot be executed: ${referenceBecause ?? 'there is no route'}.`
    : `Selling ${sold} brings ${quote.expected_out} ${bought} through ${quote.venue}, price impact ${quote.price_impact_bps} bps.`
  const score = risk.aggregate_score === null ? 'no score, data is missing' : `score ${risk.aggregate_score} of 10`
  const flags = risk.flags.length === 0 ? '' : `; flags: ${risk.flags.join(', ')}`
  return `${deal} Risk ${risk.level} (${score})${flags}. Nothing was sent.`
}
