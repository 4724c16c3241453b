import { z } from 'zod'
import { EvmAddress, Thresholds } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'
import { QuoteToAssess } from './quote.ts'

export const RISK_CHECKS = ['rug', 'whale_flow', 'price_sanity', 'gas_spike'] as const
export const RiskCheckName = z.enum(RISK_CHECKS)
export type RiskCheckName = z.infer<typeof RiskCheckName>

export const RiskRequest = z
  .object({
    quote: QuoteToAssess,
    input: z.object({
      chain: z.literal('evm').describe('Kind of chain'),
      addresses: z.array(EvmAddress).min(1).max(8).describe('Tokens; the first is sold and the last is bought'),
      checks: optional(z.array(RiskCheckName).max(16)).describe('Default: all. Empty: only what the quote itself shows'),
      chain_id: optional(z.int().positive()).describe("Default: the platform's chain"),
    }),
    thresholds: optional(Thresholds),
  })
  .meta({ id: 'RiskRequest', example: EXAMPLES.risk })
export type RiskRequest = z.infer<typeof RiskRequest>

export const ReportedCheckName = z.enum([...RISK_CHECKS, 'quote'])
export type ReportedCheckName = z.infer<typeof ReportedCheckName>

export const RiskLevel = z.enum(['low', 'medium', 'high', 'unknown'])
export type RiskLevel = z.infer<typeof RiskLevel>

export const RiskCheck = z
  .object({
    name: ReportedCheckName.describe('A requested check, or quote when the quote expired or was changed'),
    result: z.enum(['pass', 'fail', 'unknown']),
    type: ReportedCheckName.describe('Same as name'),
    passed: z.boolean().describe('True if result is pass'),
    score: z.number().min(0).max(10).nullable().describe('Null when the data is missing'),
    details: z
      .object({ summary: z.string() })
      .catchall(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('summary explains the score; the other entries are its figures'),
  })
  .meta({ id: 'RiskCheck' })
export type RiskCheck = z.infer<typeof RiskCheck>

export const RiskReport = z
  .object({
    level: RiskLevel,
    aggregate_score: z.number().min(0).max(10).nullable().describe('Lowest score of the checks, one decimal; null when level is unknown'),
    checks: z.array(RiskCheck),
    flags: z.array(z.string()).meta({ description: 'Findings, as check:finding', example: ['rug:unlisted_token'] }),
  })
  .meta({ id: 'RiskReport' })
export type RiskReport = z.infer<typeof RiskReport>
