/** Tools for quotes and their risk. */
import { z } from 'zod'
import type { Chains } from '../market/chain/chains.ts'
import { problem, succeeded, type ToolOutcome } from '../market/tool-outcome.ts'
import { type EvmInput, Thresholds } from '../schemas/evm-input.ts'
import type { Quote } from '../schemas/quote.ts'
import { RISK_CHECKS, RiskCheckName, type RiskReport } from '../schemas/risk.ts'
import { type QuoteStore, REFERENCE_VENUE } from '../trading/quote/quote-store.ts'
import { bestQuote, type QuoteOutcome, type Quoter } from '../trading/quote/quoter.ts'
import type { RiskAssessor } from '../trading/risk/assess.ts'
import { ChainArgument, chainSource, NO_CHAIN, onChain } from './chain-choice.ts'
import { sessionCaller } from './session-caller.ts'
import { SwapArguments, toEvmInput, unknownToken } from './swap-arguments.ts'
import { findToken, type TokenNames } from './token-names.ts'
import { type AnyTool, defineTool } from './tool.ts'

/** Null when no chain is configured. */
interface QuoteServices {
  readonly quotes: Quoter | null
  readonly risk: RiskAssessor | null
  readonly quoteStore: Pick<QuoteStore, 'get'> | null
}

export interface QuoteToolDependencies {
  readonly chains: Chains | null
  readonly names: TokenNames
  readonly trading: QuoteServices
}

export interface QuoteResult extends Quote {
  readonly executable: boolean
  readonly chain: string
  readonly chain_id: number
  readonly token_in: string
  readonly token_out: string
  /** In whole units of the sold token, as requested. */
  readonly amount_in: string
  /** Input for an execution, beside quote_id. */
  readonly input: EvmInput
  readonly source: string
}

export interface RiskResult extends RiskReport {
  readonly quote: Quote | null
  readonly source: string
}

/** Checks that look at tokens alone. */
const TOKEN_CHECKS = ['rug', 'whale_flow', 'gas_spike'] as const

export function createQuoteTools({ chains, names, trading }: QuoteToolDependencies): readonly AnyTool[] {
  const shared = { access: 'session', effect: 'reads' } as const

  const quoteTool = (
    kind: 'reference' | 'executable',
    tool: { readonly name: string; readonly title: string; readonly description: string },
  ) =>
    defineTool({
      ...shared,
      ...tool,
      input: SwapArguments,
      async call(args, context) {
        const { quotes } = trading
        if (quotes === null) return NO_CHAIN
        const { sessionId } = sessionCaller(context)
        return onChain(chains, args.chain, async (chain) => {
          const input = await toEvmInput(args, chain, names)
          if (!input.ok) return input
          return quoteResult(await quotes[kind](input.value, sessionId), input.value, chain)
        })
      },
    })

  return [
    quoteTool('reference', {
      name: 'quote_reference',
      title: 'Reference quote',
      description: 'The output of a swap at oracle prices, without pools. It cannot be executed.',
    }),
    quoteTool('executable', {
      name: 'quote_swap',
      title: 'Quote',
      description:
        "What the chain's exchange would give for a swap now: amount out, price impact, fees, route, until when it is good. quote_id and input name it for an execution. Moves nothing.",
    }),
    defineTool({
      ...shared,
      name: 'risk_assess',
      title: 'Risk of a swap',
      description:
        'Level (low, medium, high, unknown) and score from 0 to 10 of a swap, with the checks behind it: tokens, large flows, pool price against oracle, gas. Of a quote given before (quote_id), else of one made now.',
      input: SwapArguments.extend({
        checks: z.array(RiskCheckName).min(1).max(16).optional().describe('Default: all'),
        thresholds: Thresholds.optional(),
        quote_id: z.string().min(1).max(200).optional(),
      }),
      async call({ checks, thresholds, quote_id, ...args }, context) {
        const { risk } = trading
        if (risk === null) return NO_CHAIN
        const { sessionId } = sessionCaller(context)
        return onChain(chains, args.chain, async (chain): Promise<ToolOutcome<RiskResult>> => {
          const input = await toEvmInput(args, chain, names)
          if (!input.ok) return input
          const { chain_id, token_in_address, token_out_address } = input.value
          const quote = await quoteToAssess(quote_id, input.value, sessionId, trading)
          if (!quote.ok) return quote
          const report = await risk.preview(
            {
              quote: quote.value,
              input: { chain: 'evm', chain_id, addresses: [token_in_address, token_out_address], checks: checks ?? [...RISK_CHECKS] },
              ...(thresholds === undefined ? {} : { thresholds }),
            },
            sessionId,
          )
          return succeeded({ ...report, quote: quote.value, source: `tokens, pools, feeds and base fees of ${chainSource(chain)}` })
        })
      },
    }),
    defineTool({
      ...shared,
      name: 'token_risk',
      title: 'Risk of a token',
      description: 'Risk of holding a token, whatever it is swapped for: whether it is listed, its liquidity, large flows, gas.',
      input: z.strictObject({
        token: z.string().min(1).max(64).describe('Symbol of a configured token, or an address'),
        chain: ChainArgument,
      }),
      async call({ token, chain: name }) {
        const { risk } = trading
        if (risk === null) return NO_CHAIN
        return onChain(chains, name, async (chain): Promise<ToolOutcome<RiskResult>> => {
          const known = await names.of(chain)
          const address = findToken(known, token)
          if (address === null) return unknownToken(token, known, chain)
          const report = await risk.assessTokens(chain.config.id, [address], TOKEN_CHECKS)
          return succeeded({ ...report, quote: null, source: `tokens, pools and base fees of ${chainSource(chain)}` })
        })
      },
    }),
  ]
}

function quoteResult(outcome: QuoteOutcome, input: EvmInput, chain: Parameters<typeof chainSource>[0]): ToolOutcome<QuoteResult> {
  if (!outcome.ok) return problem(outcome.field === null ? 'not-found' : 'invalid', outcome.detail)
  const { quote, swap, dexRoute } = outcome
  const prices = [...new Set([swap.priceIn?.source, swap.priceOut?.source])].filter((source) => source !== undefined)
  return succeeded({
    ...quote,
    executable: quote.venue !== REFERENCE_VENUE,
    chain: chain.config.name,
    chain_id: chain.config.id,
    token_in: swap.tokenIn.symbol,
    token_out: swap.tokenOut.symbol,
    amount_in: input.amount_in,
    input,
    source:
      dexRoute === null
        ? `oracle prices (${prices.join(' and ')}), no pool`
        : `pools of ${dexRoute.venue} (router ${dexRoute.router}) on ${chainSource(chain)}`,
  })
}

async function quoteToAssess(
  quoteId: string | undefined,
  input: EvmInput,
  sessionId: string,
  { quotes, quoteStore }: QuoteServices,
): Promise<ToolOutcome<Quote>> {
  if (quotes === null || quoteStore === null) return NO_CHAIN
  if (quoteId !== undefined) {
    const stored = await quoteStore.get(quoteId)
    return stored?.sessionId === sessionId ? succeeded(stored.quote) : problem('not-found', 'this session has no such quote')
  }
  const outcome = await bestQuote(quotes, input, sessionId)
  if (outcome.ok) return succeeded(outcome.quote)
  return problem(outcome.field === null ? 'not-found' : 'invalid', outcome.detail)
}
