/** A price for a swap, good until it expires. */

import { z } from 'zod'
import { BasisPoints, DecimalText, EvmInput } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'

const MAX_HOPS = 16
const MAX_FEES = 32
const ShortText = z.string().min(1).max(200)

export const FeeEntries = z
  .record(z.string().max(64), z.union([z.string().max(100), z.number(), z.null()]))
  .refine((fees) => Object.keys(fees).length <= MAX_FEES, `At most ${MAX_FEES} fees`)

export const Quote = z
  .object({
    route: z.array(ShortText).max(MAX_HOPS).describe('Token addresses from first to last, or venues'),
    expected_out: DecimalText,
    price_impact_bps: z.int().describe('What the trade moves the price of the pools; 0 for reference quotes'),
    slippage_bps: BasisPoints.describe('What may be lost between quote and trade'),
    fees: FeeEntries.meta({ description: 'By name', example: { swap_fee_bps: 30 } }),
    gas_estimate: z.string().max(100).nullable().describe('Units of gas; null for reference quotes'),
    venue: ShortText.meta({ description: 'Who gives the price', example: 'uniswap-v2' }),
    quote_id: ShortText.describe('Names the quote in this session until it expires'),
    expires_at: z.iso.datetime({ offset: true }).meta({ example: '2026-01-31T12:00:00Z' }),
  })
  .meta({ id: 'Quote' })
export type Quote = z.infer<typeof Quote>

/** As a caller gives one back for assessment. */
export const QuoteToAssess = Quote.partial({ price_impact_bps: true }).meta({ id: 'QuoteToAssess' })
export type QuoteToAssess = z.infer<typeof QuoteToAssess>

export const PseudoQuoteRequest = z.strictObject({ input: EvmInput }).meta({ id: 'PseudoQuoteRequest', example: EXAMPLES.pseudoQuote })
export type PseudoQuoteRequest = z.infer<typeof PseudoQuoteRequest>
