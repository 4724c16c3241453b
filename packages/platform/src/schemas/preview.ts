/** The intent of a text, and quote and risk of the swap beside it. */

import { z } from 'zod'
import { INTENTS, TEAMS } from '../preview/intent.ts'
import { MAX_MESSAGE_CHARACTERS } from './chat.ts'
import { EvmInput, Thresholds } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { Quote } from './quote.ts'
import { RiskReport } from './risk.ts'

const Text = z.string().min(1).max(MAX_MESSAGE_CHARACTERS).meta({ example: 'Swap 1 ETH for testUSD' })

export const PreviewRequest = z.strictObject({ text: Text }).meta({ id: 'PreviewRequest', example: EXAMPLES.preview })

const IntentField = z
  .enum(INTENTS)
  .describe(
    'swap_tokens: both tokens are named and the verb is swap, exchange or convert; trade: any other wish to buy or sell; quote: what a swap would bring, or a token in another; research: all other reading, and what is not understood',
  )
const TeamField = z
  .enum(TEAMS)
  .describe('Follows from the intent: trading, trading_team, trading_team, risk_team, research_team in the order of intent')

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
        amount: z
          .string()
          .nullable()
          .optional()
          .describe('Units of token_in as plain decimal text; null when the text names an amount that has to be asked for: see question'),
        chain: z.string().optional().describe('Name of a configured chain, else as it was written'),
      })
      .describe('What the text says; nothing is guessed'),
    team: TeamField,
    conversion: z
      .string()
      .optional()
      .describe('The price by which dollars or units of token_out became the amount; left out when nothing was converted'),
    question: z.string().optional().describe('What to ask the user for; left out when nothing is missing'),
  })
  .meta({ id: 'IntentPreview' })
export type IntentPreview = z.infer<typeof IntentPreview>

export const PreviewRunRequest = z
  .strictObject({ text: Text, evm_input: EvmInput, thresholds: Thresholds.optional() })
  .meta({ id: 'PreviewRunRequest', example: EXAMPLES.previewRun })
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
