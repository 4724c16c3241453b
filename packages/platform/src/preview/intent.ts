import { severalQuestions, withObstacle } from '../assistant/reading/question.ts'
import { type Entities, readText } from '../assistant/reading/read-text.ts'
import { ABOUT_TOKENS, type Topic } from '../assistant/reading/topics.ts'
import type { ChainNames } from '../tools/token-names.ts'

export const INTENTS = ['swap_tokens', 'trade', 'quote', 'risk_assessment', 'research'] as const
export type Intent = (typeof INTENTS)[number]
export const TEAMS = ['trading', 'trading_team', 'risk_team', 'research_team'] as const
export type Team = (typeof TEAMS)[number]

export interface ReadIntent {
  readonly intent: Intent
  readonly team: Team
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  readonly chain: string | null
  readonly amount: Entities['amount']
  readonly unread: string | null
  readonly parts: readonly string[]
}

const TEAM_OF: Readonly<Record<Intent, Team>> = {
  swap_tokens: 'trading',
  trade: 'trading_team',
  quote: 'trading_team',
  risk_assessment: 'risk_team',
  research: 'research_team',
}
/** All other topics are research. */
const INTENT_OF: Readonly<Partial<Record<Topic, Intent>>> = {
  swap_tokens: 'swap_tokens',
  trade: 'trade',
  confirm: 'trade',
  limit_order: 'trade',
  condition: 'trade',
  quote: 'quote',
  risk: 'risk_assessment',
}

export function readIntent(text: string, chains: readonly ChainNames[]): ReadIntent {
  const read = readText(text, chains)
  const topic = withObstacle(read.topic ?? (read.isOnlyTokens ? 'price' : null), read)
  const { tokenIn, tokenOut, loose, chain } = read.entities
  // if the text is not understood, its number need not be an amount
  const { amount, unread } = topic === null ? { amount: null, unread: null } : read.entities
  const asToken = (token: string | null) => (token?.startsWith('0x') && !(topic !== null && ABOUT_TOKENS.has(topic)) ? null : token)
  const [sold, bought] = [asToken(tokenIn ?? loose), asToken(tokenOut)]
  const isRate = topic === 'price' && sold !== null && bought !== null && bought.toUpperCase() !== 'USD'
  const intent = isRate ? 'quote' : topic === null ? 'research' : (INTENT_OF[topic] ?? 'research')
  return { intent, team: TEAM_OF[intent], tokenIn: sold, tokenOut: bought, chain, amount, unread, parts: severalQuestions(text, chains) }
}
