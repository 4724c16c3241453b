/** What a text wants, and what the swap it goes with would bring. */
import { z } from 'zod'
import { INTENTS, TEAMS } from '../agent/intent.ts'
import { MAX_MESSAGE_CHARACTERS } from './chat.ts'
import { EvmInput, Thresholds } from './evm-input.ts'
import { Quote } from './quote.ts'
import { RiskReport } from './risk.ts'

const Text = z.string().min(1).max(MAX_MESSAGE_CHARACTERS).meta({ example: 'Swap 1 ETH for testUSD' })

export const PreviewRequest = z.strictObject({ text: Text }).meta({ id: 'PreviewRequest' })

const IntentField = z
  .enum(INTENTS)
  .describe(
    'swap_tokens: both tokens are named and the verb is swap, exchange or convert; trade: any other wish to buy or sell; quote: what a swap would bring, or a token in another; research: all other reading, and what is not understood',
  )
const TeamField = z
  .enum(TEAMS)
  .describe('Of the intent: trading, trading_team, trading_team, risk_team, research_team in the order of intent')

export const IntentPreview = z
  .object({
    intent: IntentField,
    entities: z
      .object({
        token_in: z
          .string()
          .optional()
          .describe('What is sold, as a symbol of the configuration, an address in lower case, or as it was written'),
        token_out: z.string().optional(),
        amount: z.string().optional().describe('Plain decimal text'),
        chain: z.string().optional().describe('Name of a configured chain, else as it was written'),
      })
      .describe('What the text says; nothing is guessed'),
    team: TeamField,
  })
  .meta({ id: 'IntentPreview' })
export type IntentPreview = z.infer<typeof IntentPreview>

export const PreviewRunRequest = z
  .strictObject({ text: Text, evm_input: EvmInput, thresholds: Thresholds.optional() })
  .meta({ id: 'PreviewRunRequest' })
export type PreviewRunRequest = z.infer<typeof PreviewRunRequest>

export const PreviewRun = z
  .object({
    intent: IntentField,
    team: TeamField,
    summary: z.string(),
    quote: Quote.describe('Executable where there is a route, else of oracle prices'),
    risk: RiskReport,
  })
  .meta({ id: 'PreviewRun' })
export type PreviewRun = z.infer<typeof PreviewRun>
