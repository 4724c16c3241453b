import { z } from 'zod'
import { BasisPoints, DecimalText, EvmInput } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'

const MAX_HOPS = 16
const MAX_FEES = 32
const ShortText = z.string().min(1).max(200)

export const FeeEntries = z
  .record(z.string().max(64), z.union([z.string().max(100), z.number(), z.null()]))
  .refine((fees) => Object.keys(fees).length <= MAX_FEES, `At most ${MAX_FEES} fees`)
  .meta({ maxProperties: MAX_FEES })

export const Quote = z
  .object({
    route: z.array(ShortText).max(MAX_HOPS).describe('Token addresses in order, or venues'),
    expected_out: DecimalText,
    price_impact_bps: z.int().describe('Price impact on the pools; 0 for reference quotes'),
    slippage_bps: BasisPoints.describe('Largest price change between quote and trade'),
    fees: FeeEntries.meta({ description: 'Fees by name', example: { swap_fee_bps: 30 } }),
    gas_estimate: z.string().max(100).nullable().describe('Gas; null for reference quotes'),
    venue: ShortText.meta({ description: 'Source of the price', example: 'uniswap-v2' }),
    quote_id: ShortText.describe('Id in this session until expires_at'),
    expires_at: z.iso.datetime({ offset: true }).meta({ example: '2026-01-31T12:00:00Z' }),
  })
  .meta({ id: 'Quote' })
export type Quote = z.infer<typeof Quote>

export const QuoteToAssess = Quote.extend({ price_impact_bps: optional(Quote.shape.price_impact_bps) }).meta({ id: 'QuoteToAssess' })
export type QuoteToAssess = z.infer<typeof QuoteToAssess>

export const PseudoQuoteRequest = z.object({ input: EvmInput }).meta({ id: 'PseudoQuoteRequest', example: EXAMPLES.pseudoQuote })
export type PseudoQuoteRequest = z.infer<typeof PseudoQuoteRequest>
