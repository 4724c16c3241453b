/**
 * Intent and team of a text. `swap_tokens` names both tokens and says swap, exchange or convert. `trade` is every other
 * wish to buy or sell. `quote` asks what a swap brings, or the price of one token in another. `research` is every other
 * question, a denied wish, and a text that is not understood.
 */
import type { ChainNames } from '../tools/token-names.ts'
import { severalQuestions } from './clauses.ts'
import { type Entities, readText } from './entities.ts'
import { readTopic, type Topic, topicOfTokens, withObstacle } from './topic.ts'

export const INTENTS = ['swap_tokens', 'trade', 'quote', 'risk_assessment', 'research'] as const
export type Intent = (typeof INTENTS)[number]
export const TEAMS = ['trading', 'trading_team', 'risk_team', 'research_team'] as const
export type Team = (typeof TEAMS)[number]

export const TEAM_OF: Readonly<Record<Intent, Team>> = {
  swap_tokens: 'trading',
  trade: 'trading_team',
  quote: 'trading_team',
  risk_assessment: 'risk_team',
  research: 'research_team',
}

export interface ReadIntent {
  readonly intent: Intent
  readonly team: Team
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  readonly chain: string | null
  readonly amount: Pick<Entities, 'amount' | 'amountOf' | 'amountCurrency' | 'share' | 'unreadAmount'>
  /** The questions of a text that asks several; empty in all others. */
  readonly parts: readonly string[]
}

const INTENT_OF: Readonly<Partial<Record<Topic, Intent>>> = {
  swap_tokens: 'swap_tokens',
  trade: 'trade',
  confirm: 'trade',
  limit_order: 'trade',
  condition: 'trade',
  quote: 'quote',
  risk: 'risk_assessment',
}

const TOKEN_TOPICS: ReadonlySet<Topic> = new Set([
  ...(['swap_tokens', 'trade', 'quote', 'risk', 'price', 'tokens', 'research'] as const),
  ...(['denied', 'limit_order', 'condition', 'other_time'] as const),
])

/** Never throws. A part that the text does not name is null. */
export function readIntent(text: string, chains: readonly ChainNames[]): ReadIntent {
  const read = readText(text, chains)
  const topic = withObstacle(readTopic(read) ?? topicOfTokens(read), read)
  const { tokenIn, tokenOut, loose, chain } = read.entities
  // for other topics an address is an account
  const isOfTokens = topic !== null && TOKEN_TOPICS.has(topic)
  const asToken = (token: string | null) => (token !== null && !isOfTokens && token.startsWith('0x') ? null : token)
  const [sold, bought] = [asToken(tokenIn ?? loose), asToken(tokenOut)]
  const isRate = topic === 'price' && sold !== null && bought !== null && bought.toUpperCase() !== 'USD'
  const intent = isRate ? 'quote' : topic === null ? 'research' : (INTENT_OF[topic] ?? 'research')
  return {
    intent,
    team: TEAM_OF[intent],
    ...{ tokenIn: sold, tokenOut: bought, chain, amount: read.entities },
    parts: severalQuestions(text, chains),
  }
}
