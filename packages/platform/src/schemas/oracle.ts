import { z } from 'zod'
import { PAIR } from '../market/prices/pair-legs.ts'
import { EXAMPLES } from './examples.ts'

export const OraclePriceRequest = z
  .object({
    chain: z.string().min(1).max(64).describe('Name or id of a chain'),
    pair: z
      .string()
      .min(3)
      .max(64)
      .meta({ example: 'ETH/USD', pattern: PAIR.source, description: 'BASE/QUOTE, of which neither is the other' }),
  })
  .meta({ id: 'OraclePriceRequest', example: EXAMPLES.oraclePrice })
export type OraclePriceRequest = z.infer<typeof OraclePriceRequest>

export const OracleReading = z
  .object({
    source: z.enum(['chainlink', 'pyth']),
    id: z.string().describe('Address or id of the feed'),
    description: z.string(),
    base: z.string(),
    quote: z.string(),
    price: z.string(),
    confidence: z.string().nullable().describe('Half-width of the confidence interval of Pyth; null for other feeds'),
    round_id: z.string().nullable(),
    updated_at: z.iso.datetime(),
    age_seconds: z.int(),
  })
  .meta({ id: 'OracleReading' })
export type OracleReading = z.infer<typeof OracleReading>

export const OraclePrice = z
  .object({
    chain: z.string(),
    chain_id: z.int(),
    pair: z.string(),
    base: z.string(),
    quote: z.string(),
    price: z.string().describe('Price of one BASE in QUOTE, decimal'),
    method: z.enum(['direct', 'inverse', 'cross']).describe('cross: computed from two prices in USD'),
    source: z.enum(['chainlink', 'pyth']),
    updated_at: z.iso.datetime().describe('Time of the oldest reading'),
    age_seconds: z.int(),
    block_number: z.int().nullable().describe('Block at which the feeds were read; null for Pyth'),
    readings: z.array(OracleReading),
  })
  .meta({ id: 'OraclePrice' })
export type OraclePrice = z.infer<typeof OraclePrice>
