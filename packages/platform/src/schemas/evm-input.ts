/** Amounts are in whole tokens unless amount_in_currency is usd. */

import { z } from 'zod'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { isChecksummed } from '../trading/evm-address.ts'
import { EXAMPLES } from './examples.ts'
import { refuseMisspelt } from './fields/misspelt-field.ts'
import { optional } from './fields/optional.ts'
import { StrictBoolean } from './strict-boolean.ts'

/** Digits of an amount in requests. A quote may have more before the point: the product of an amount and a price. */
export const AMOUNT_DIGITS = { whole: 30, fraction: 36 }
const AMOUNT = new RegExp(`^\\d{1,${AMOUNT_DIGITS.whole}}(\\.\\d{1,${AMOUNT_DIGITS.fraction}})?$`)
const QUOTED = /^\d{1,60}(\.\d{1,36})?$/
const PLAIN = /^\d+(\.\d+)?$/
const DIGITS = `at most ${AMOUNT_DIGITS.whole} digits before the point and ${AMOUNT_DIGITS.fraction} after it`
const MAX_BPS = 10_000

export const DecimalText = z
  .string()
  .regex(QUOTED, { error: 'Value should be a decimal number without sign or exponent', abort: true })
  .meta({ example: '1.5' })

/** `not`, because many generators of clients and of requests know neither `allOf` of patterns nor lookaheads. */
export const PositiveDecimalText = z
  .string()
  .regex(AMOUNT, {
    error: ({ input }) =>
      PLAIN.test(String(input)) ? `Value should have ${DIGITS}` : 'Value should be a decimal number without sign or exponent',
    abort: true,
  })
  .refine((text) => /[1-9]/.test(text), 'Value should be greater than 0')
  .meta({
    description: `Greater than 0, ${DIGITS}`,
    not: { pattern: '^[0.]*$' },
    example: '1.5',
  })

export const EvmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'Value should be an EVM address: 0x and 40 hex digits')
  .refine(isChecksummed, 'The checksum of the address is wrong (EIP-55)')
  .meta({
    description: 'Lower case, upper case, or with a valid EIP-55 checksum',
    format: 'evm-address',
    example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  })

const NATIVE_WORDS = `${NATIVE_ADDRESS} is the native token`

export const ChainId = z.int().positive().meta({ description: 'Chain id from GET /api/v1/multi-agent/chains', example: 84_532 })

export const BasisPoints = z.int().min(0).max(MAX_BPS)

export const EvmInputFields = z.object({
  chain_id: ChainId,
  token_in_address: EvmAddress.describe(`Token to sell; ${NATIVE_WORDS}`),
  token_out_address: EvmAddress.describe(`Token to buy, other than token_in_address; ${NATIVE_WORDS}`),
  amount_in: PositiveDecimalText,
  amount_in_currency: optional(z.enum(['token_units', 'usd'])).describe('Default: token_units. usd is converted at the oracle price'),
  slippage_bps: optional(BasisPoints).describe('Default: 50'),
  simulate_only: optional(StrictBoolean).describe('Executions only: true with confirm false simulates, false with confirm true trades'),
})
export const EvmInput = refuseMisspelt(EvmInputFields).meta({ id: 'EvmInput', example: EXAMPLES.swap })
export type EvmInput = z.infer<typeof EvmInput>

export const Thresholds = refuseMisspelt(
  z.object({
    max_price_impact_bps: optional(z.number().min(0).max(MAX_BPS)).describe('Largest price impact. Default: no limit'),
    max_slippage_bps: optional(z.number().min(0).max(MAX_BPS)).describe('Largest slippage_bps. Default: no limit'),
    min_liquidity_usd: optional(z.number().min(0)).describe(
      'Least value of the deepest pool of each token, in USD. Default and minimum: 10000',
    ),
  }),
).meta({ id: 'Thresholds' })
export type Thresholds = z.infer<typeof Thresholds>
