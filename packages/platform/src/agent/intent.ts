/**
 * Intent and team in the words of the interface. `swap_tokens` names both tokens and says swap, exchange or convert: it
 * could be quoted as it stands. `trade` is every other wish to buy or sell. `quote` asks what a swap would bring, or what
 * a token is in another one; `research` is all reading beside that, what is denied, and what is not understood.
 */
import type { ChainNames } from '../toolbox/token-names.ts'
import { readText } from './entities.ts'
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

export interface IntentPreview {
  readonly intent: Intent
  readonly entities: {
    readonly token_in?: string
    readonly token_out?: string
    readonly amount?: string
    readonly chain?: string
  }
  readonly team: Team
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

/** Never throws. What the text does not say is left out of `entities`. */
export function previewIntent(text: string, chains: readonly ChainNames[]): IntentPreview {
  const read = readText(text, chains)
  const topic = withObstacle(readTopic(read) ?? topicOfTokens(read), read)
  const { tokenIn, tokenOut, loose, amount, chain } = read.entities
  // elsewhere an address is somebody's
  const isOfTokens = topic !== null && TOKEN_TOPICS.has(topic)
  const asToken = (token: string | null) => (token !== null && !isOfTokens && token.startsWith('0x') ? null : token)
  const [sold, bought] = [asToken(tokenIn ?? loose), asToken(tokenOut)]
  const isRate = topic === 'price' && sold !== null && bought !== null && bought.toUpperCase() !== 'USD'
  const intent = isRate ? 'quote' : topic === null ? 'research' : (INTENT_OF[topic] ?? 'research')
  return {
    intent,
    entities: {
      ...(sold === null ? {} : { token_in: sold }),
      ...(bought === null ? {} : { token_out: bought }),
      ...(amount === null ? {} : { amount }),
      ...(chain === null ? {} : { chain }),
    },
    team: TEAM_OF[intent],
  }
}
