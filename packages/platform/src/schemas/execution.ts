import { z } from 'zod'
import { EvmInput, Thresholds } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { refuseMisspelt } from './fields/misspelt-field.ts'
import { optional } from './fields/optional.ts'
import { RiskReport } from './risk.ts'
import { StrictBoolean } from './strict-boolean.ts'

export const ExecutionFields = z.object({
  input: EvmInput,
  confirm: optional(StrictBoolean).describe(
    'true with input.simulate_only false trades; false with input.simulate_only true simulates. Default: false',
  ),
  skip_risk: optional(StrictBoolean).describe('Skips the risk assessment. Default: false'),
  wallet_ref: z.string().min(1).max(100).meta({ description: 'Wallet from GET /api/v1/multi-agent/wallets', example: 'devnet' }),
  thresholds: optional(Thresholds),
  quote_id: optional(z.string().min(1).max(200)).describe('Executes this quote of the session, if it has not expired'),
})
const mode = (simulates: boolean) => ({
  properties: { input: { properties: { simulate_only: { const: simulates } }, required: ['simulate_only'] } },
})
export const ExecutionRequest = refuseMisspelt(ExecutionFields).meta({
  id: 'ExecutionRequest',
  example: EXAMPLES.execution,
  if: { properties: { confirm: { const: true } }, required: ['confirm'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: mode(false),
  else: mode(true),
})
export type ExecutionRequest = z.infer<typeof ExecutionRequest>

export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'Idempotency-Key should have 1 to 255 visible ASCII characters')

export const ExecutionRefusal = z
  .looseObject({
    detail: z.string(),
    code: z.string().meta({ description: 'Kind of refusal: risk, policy, threshold, no-route, funds, simulation, ...', example: 'policy' }),
    rule: z.string().optional().meta({ description: 'With code policy: the rule', example: 'slippage' }),
    risk: RiskReport.optional().describe('With code risk: the risk report'),
    retryable: z.boolean().optional().describe('Whether the same request, with a new Idempotency-Key, can succeed later'),
    retry_at: z.iso.datetime().optional().describe('With rule daily-cap: when it can, if no trade fails before'),
  })
  .meta({ id: 'ExecutionRefusal' })

export const ExecutionStatus = z.enum(['pending', 'success', 'failed'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecutionResult = z
  .object({
    tx: z.object({ to: z.string(), data: z.string(), value: z.string(), gas: z.string() }),
    tx_hash: z.string().optional().describe('Present when the transaction was submitted'),
    explorer_url: z.string().nullable().describe('Null when the chain has no explorer or nothing was submitted'),
    status: ExecutionStatus,
    message: z.string(),
  })
  .meta({ id: 'ExecutionResult' })
export type ExecutionResult = z.infer<typeof ExecutionResult>
