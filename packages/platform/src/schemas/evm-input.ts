/** Amounts are in whole tokens unless amount_in_currency is usd. */

import { z } from 'zod'
import { NATIVE_ADDRESS } from '../market/chain/native-address.ts'
import { isChecksummed } from '../trading/evm-address.ts'
import { EXAMPLES } from './examples.ts'
import { StrictBoolean } from './strict-boolean.ts'

const DECIMAL = /^\d{1,60}(\.\d{1,36})?$/
const MAX_BPS = 10_000

export const DecimalText = z
  .string()
  .regex(DECIMAL, { error: 'Value should be a decimal number without sign or exponent', abort: true })
  .meta({ example: '1.5' })

export const PositiveDecimalText = DecimalText.refine((text) => /[1-9]/.test(text), 'Value should be greater than 0')

export const EvmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'Value should be an EVM address: 0x and 40 hex digits')
  .refine(isChecksummed, 'The checksum of the address is wrong (EIP-55)')
  .meta({ description: 'Lower case, upper case, or with a valid EIP-55 checksum', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })

const NATIVE_WORDS = `${NATIVE_ADDRESS} is the native token`

export const ChainId = z.int().positive().meta({ description: 'Chain id from GET /api/v1/multi-agent/chains', example: 84_532 })

export const BasisPoints = z.int().min(0).max(MAX_BPS)

export const EvmInput = z
  .strictObject({
    chain_id: ChainId,
    token_in_address: EvmAddress.describe(`Token to sell; ${NATIVE_WORDS}`),
    token_out_address: EvmAddress.describe(`Token to buy; ${NATIVE_WORDS}`),
    amount_in: PositiveDecimalText,
    amount_in_currency: z.enum(['token_units', 'usd']).optional().describe('Default: token_units. usd is converted at the oracle price'),
    slippage_bps: BasisPoints.optional().describe('Default: 50'),
    simulate_only: StrictBoolean.optional().describe('Executions only: true with confirm false simulates, false with confirm true trades'),
  })
  .meta({ id: 'EvmInput', example: EXAMPLES.swap })
export type EvmInput = z.infer<typeof EvmInput>

export const Thresholds = z
  .strictObject({
    max_price_impact_bps: z.number().min(0).max(MAX_BPS).optional().describe('Largest price impact. Default: no limit'),
    max_slippage_bps: z.number().min(0).max(MAX_BPS).optional().describe('Largest slippage_bps. Default: no limit'),
    min_liquidity_usd: z
      .number()
      .min(0)
      .optional()
      .describe('Least value of the deepest pool of each token, in USD. Default and minimum: 10000'),
  })
  .meta({ id: 'Thresholds' })
export type Thresholds = z.infer<typeof Thresholds>
