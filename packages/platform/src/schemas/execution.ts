/** Executing or simulating a swap. */

import { z } from 'zod'
import { EvmInput, Thresholds } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { RiskReport } from './risk.ts'
import { StrictBoolean } from './strict-boolean.ts'

export const ExecutionRequest = z
  .strictObject({
    input: EvmInput,
    confirm: StrictBoolean.optional().describe(
      'True with input.simulate_only false trades; false, or left out, with input.simulate_only true simulates',
    ),
    skip_risk: StrictBoolean.optional().describe('False when left out: the risk is assessed first'),
    wallet_ref: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: "As GET /api/v1/multi-agent/wallets lists them; the development network's is devnet", example: 'devnet' }),
    thresholds: Thresholds.optional(),
    quote_id: z.string().min(1).max(200).optional().describe('Binds the execution to a quote of this session that has not expired'),
  })
  .meta({ id: 'ExecutionRequest', example: EXAMPLES.execution })
export type ExecutionRequest = z.infer<typeof ExecutionRequest>

/** Visible ASCII, as the header carries it. */
export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'Idempotency-Key should have 1 to 255 visible ASCII characters')

export const ExecutionRefusal = z
  .looseObject({
    detail: z.string(),
    code: z
      .string()
      .meta({ description: 'Which judge refused: risk, policy, threshold, no-route, funds, simulation ...', example: 'policy' }),
    rule: z.string().optional().meta({ description: 'Of code policy: which rule', example: 'slippage' }),
    risk: RiskReport.optional().describe('Of code risk: the whole report'),
  })
  .meta({ id: 'ExecutionRefusal' })

export const ExecutionStatus = z.enum(['pending', 'success', 'failed'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecutionResult = z
  .object({
    tx: z.object({ to: z.string(), data: z.string(), value: z.string(), gas: z.string() }),
    tx_hash: z.string().optional().describe('Present when it was submitted'),
    explorer_url: z.string().nullable().describe('Null when the chain has no explorer or nothing was submitted'),
    status: ExecutionStatus,
    message: z.string(),
  })
  .meta({ id: 'ExecutionResult' })
export type ExecutionResult = z.infer<typeof ExecutionResult>
