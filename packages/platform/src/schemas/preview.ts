import { z } from 'zod'
import { INTENTS, TEAMS } from '../preview/intent.ts'
import { MAX_MESSAGE_CHARACTERS } from './chat.ts'
import { EvmInput, Thresholds } from './evm-input.ts'
import { EXAMPLES } from './examples.ts'
import { optional } from './fields/optional.ts'
import { Quote } from './quote.ts'
import { RiskReport } from './risk.ts'

const Text = z.string().min(1).max(MAX_MESSAGE_CHARACTERS).meta({ example: 'Swap 1 ETH for testUSD' })

export const PreviewRequest = z.object({ text: Text }).meta({ id: 'PreviewRequest', example: EXAMPLES.preview })

const IntentField = z
  .enum(INTENTS)
  .describe(
    'swap_tokens: a swap with both tokens; trade: another request to buy or sell; quote: the price of a swap or of a token in another; research: other questions, and text that is not understood',
  )
const TeamField = z
  .enum(TEAMS)
  .describe('Depends on the intent: trading, trading_team, trading_team, risk_team, research_team, in the order of intent')

export const IntentPreview = z
  .object({
    intent: IntentField,
    entities: z
      .object({
        token_in: z.string().optional().describe('Token to sell: a configured symbol, an address in lower case, or the text as written'),
        token_out: z.string().optional(),
        amount: z.string().nullable().optional().describe('Amount of token_in, decimal text; null when question asks for it'),
        chain: z.string().optional().describe('Name of a configured chain, or the text as written'),
      })
      .describe('Entities named in the text'),
    team: TeamField,
    conversion: z.string().optional().describe('Price at which USD or token_out was converted to the amount. Absent without a conversion'),
    question: z.string().optional().describe('Question to the user. Absent when nothing is missing'),
  })
  .meta({ id: 'IntentPreview' })
export type IntentPreview = z.infer<typeof IntentPreview>

export const PreviewRunRequest = z
  .object({ text: Text, evm_input: EvmInput, thresholds: optional(Thresholds) })
  .meta({ id: 'PreviewRunRequest', example: EXAMPLES.previewRun })
export type PreviewRunRequest = z.infer<typeof PreviewRunRequest>

export const PreviewRun = z
  .object({
    intent: IntentField,
    team: TeamField,
    summary: z.string(),
    quote: Quote.describe('Executable if there is a route, else from oracle prices'),
    risk: RiskReport,
  })
  .meta({ id: 'PreviewRun' })
export type PreviewRun = z.infer<typeof PreviewRun>
