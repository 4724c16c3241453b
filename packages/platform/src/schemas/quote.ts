/** A price for a swap, good until it expires. */
import { z } from 'zod'
import { BasisPoints, DecimalText, EvmInput } from './evm-input.ts'

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
    price_impact_bps: z.int(),
    slippage_bps: BasisPoints,
    fees: FeeEntries,
    gas_estimate: z.string().max(100).nullable().describe('Units of gas; null for reference quotes'),
    venue: ShortText,
    quote_id: ShortText,
    expires_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Quote' })
export type Quote = z.infer<typeof Quote>

/** As a caller gives one back for assessment. */
export const QuoteToAssess = Quote.partial({ price_impact_bps: true }).meta({ id: 'QuoteToAssess' })
export type QuoteToAssess = z.infer<typeof QuoteToAssess>

export const PseudoQuoteRequest = z.strictObject({ input: EvmInput }).meta({ id: 'PseudoQuoteRequest' })
export type PseudoQuoteRequest = z.infer<typeof PseudoQuoteRequest>
