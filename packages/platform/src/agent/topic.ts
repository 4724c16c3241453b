/** Finds the topic of a text: the first one in the table whose words the text contains. */
import type { Entities, ReadText } from './entities.ts'
import { findTerm } from './glossary.ts'
import { isForeign } from './language.ts'
import { SWAP_VERBS, TRADE_VERBS } from './lexicon.ts'
import { namesOtherTime, obstacleOfTrade } from './obstacles.ts'

export const TOPICS = [
  'several',
  'term',
  'help',
  'thanks',
  'other_language',
  'send',
  'denied',
  'limit_order',
  'condition',
  'other_time',
  'research',
  'deposit',
  'bitcoin_transaction',
  'bitcoin_address',
  'bitcoin_block',
  'pnl',
  'volume',
  'trades',
  'positions',
  'risk',
  'gas',
  'quote',
  'swap_tokens',
  'trade',
  'confirm',
  'tvl',
  'pools',
  'balance',
  'wallets',
  'price',
  'block',
  'tokens',
  'token_list',
  'chains',
] as const
export type Topic = (typeof TOPICS)[number]

interface Signs {
  readonly has: (...words: readonly string[]) => boolean
  /** One after the other. */
  readonly says: (phrase: string) => boolean
  readonly first: string | null
  readonly isTerm: boolean
  readonly entities: Entities
  readonly tokens: number
}

const POLITE: ReadonlySet<string> = new Set(
  'please can could you would i want to like let us hi hello hey ok and now me do some'.split(' '),
)

const TABLE: readonly (readonly [Topic, (signs: Signs) => boolean])[] = [
  ['term', ({ isTerm }) => isTerm],
  ['help', ({ says, tokens }) => tokens === 0 && (says('how do i') || says('how can i') || says('how does one'))],
  ['research', ({ first }) => first !== null && /^(research|analy[sz]e|investigate|explore)$/.test(first)],
  [
    'bitcoin_transaction',
    ({ entities, has }) => entities.rawTransaction !== null && has('decode', 'bitcoin', 'btc', 'transaction', 'tx', 'raw'),
  ],
  ['bitcoin_address', ({ entities }) => entities.bitcoinAddress !== null],
  ['bitcoin_block', ({ has }) => has('bitcoin', 'btc') && has('block', 'blocks', 'height')],
  [
    'deposit',
    ({ has, entities, says }) =>
      has('deposit', 'deposits', 'deposited', 'bridge', 'bridged', 'bridging') ||
      (entities.hashes.length > 0 && !has('block')) ||
      says('l1 transaction'),
  ],
  ['send', (signs) => wantsToSend(signs)],
  ['pnl', ({ has, says }) => has('pnl', 'p&l', 'profit', 'profits', 'loss', 'losses', 'earn', 'earned') || says('profit and loss')],
  ['tvl', ({ has, says }) => has('tvl') || says('value locked')],
  ['volume', ({ has }) => has('volume', 'volumes')],
  ['trades', ({ has, tokens, says }) => (tokens === 0 && has('trades', 'executions')) || says('trade history') || says('trading history')],
  ['positions', ({ has }) => has('position', 'positions', 'portfolio')],
  [
    'risk',
    ({ has }) =>
      has('risk', 'risks', 'risky', 'riskier', 'safe', 'safety', 'unsafe', 'rug', 'scam', 'danger', 'dangerous', 'assess', 'assessment'),
  ],
  ['gas', ({ has, says }) => has('gas') || says('base fee')],
  ['balance', (signs) => asksHolding(signs)],
  ['quote', (signs) => signs.has('quote', 'quotes', 'quotation') || asksHowMuch(signs)],
  ['swap_tokens', ({ has, tokens }) => tokens >= 2 && has(...SWAP_VERBS) && !has('rate')],
  ['trade', ({ has, tokens, says }) => has(...TRADE_VERBS) || (has(...SWAP_VERBS) && !has('rate') && (tokens > 0 || !says('exchange')))],
  ['confirm', ({ has, says }) => has('confirm', 'confirmed', 'proceed') || says('go ahead') || says('do it')],
  ['pools', ({ has }) => has('pool', 'pools', 'liquidity')],
  ['price', (signs) => asksPrice(signs)],
  [
    'balance',
    ({ has, entities }) =>
      has('balance', 'balances', 'holding', 'holdings', 'hold', 'holds') ||
      (has('wallet', 'account', 'address') && entities.addresses.length > 0),
  ],
  ['wallets', ({ has }) => has('wallet', 'wallets')],
  ['block', ({ has, entities }) => has('block', 'blocks', 'height') || entities.hashes.length > 0],
  ['token_list', ({ has, tokens, entities }) => tokens + entities.addresses.length === 0 && has('tokens', 'coins')],
  ['tokens', ({ has }) => has('token', 'tokens', 'coins', 'decimals', 'contract')],
  ['chains', ({ has }) => has('chains', 'networks', 'chain', 'network')],
  ['research', ({ has }) => has('research', 'analyze', 'analyse', 'analysis', 'investigate', 'report', 'yields', 'yield', 'overview')],
  [
    'help',
    ({ has, says }) =>
      has('help', 'hello', 'hi', 'hey', 'capabilities') || says('what can you') || says('who are you') || says('what are you'),
  ],
  ['thanks', ({ has }) => has('thanks', 'thank', 'thx')],
]

const FEW_WORDS = 4

/** Of a text that says nothing but tokens: what they cost. */
export function topicOfTokens({ words, entities: { tokenIn, tokenOut, loose } }: ReadText): Topic | null {
  if (tokenIn !== null && tokenOut !== null) return 'price'
  return words.length <= FEW_WORDS && (tokenIn ?? tokenOut ?? loose) !== null ? 'price' : null
}

const OF_TRADES: ReadonlySet<Topic> = new Set(['swap_tokens', 'trade', 'confirm'])
const OF_NOW: ReadonlySet<Topic> = new Set(['quote', 'price'])

/** The topic, or what keeps it from being answered as it stands. */
export function withObstacle(topic: Topic | null, { words }: ReadText): Topic | null {
  if (topic === null) return null
  if (OF_TRADES.has(topic)) return obstacleOfTrade(words) ?? topic
  return OF_NOW.has(topic) && namesOtherTime(words) ? 'other_time' : topic
}

/** Null when none of its words is there: it goes on with what was said before. Obstacles are not looked at. */
export function readTopic(read: ReadText): Topic | null {
  const topic = topicOfWords(read)
  return isForeign(read.text, topic !== null) ? 'other_language' : topic
}

function topicOfWords({ words, entities }: ReadText): Topic | null {
  const lowers = words.map(({ lower }) => lower)
  const known = new Set(lowers)
  const whole = ` ${lowers.join(' ')} `
  const signs: Signs = {
    has: (...wanted) => wanted.some((word) => known.has(word)),
    says: (phrase) => whole.includes(` ${phrase} `),
    first: lowers.find((word) => !POLITE.has(word)) ?? null,
    isTerm: findTerm(words) !== null,
    entities,
    tokens: [entities.tokenIn, entities.tokenOut, entities.loose].filter((token) => token !== null).length,
  }
  return TABLE.find(([, matches]) => matches(signs))?.[0] ?? null
}

/** `how much ETH do I have`, `how much ETH does 0x… have`. */
function asksHolding({ has, says, entities }: Signs): boolean {
  return says('do i have') || says('do i own') || says('have i got') || (entities.addresses.length > 0 && has('have', 'has', 'own', 'owns'))
}

/** `how much testUSD would I get for 1 ETH`: the amount of one token that another one brings. */
function asksHowMuch({ has, says, tokens, entities }: Signs): boolean {
  if (
    tokens === 0 ||
    !(says('how much') || says('how many') || says('what do i') || says('what would i') || says('what will i') || says('what can i'))
  )
    return false
  return has('get', 'receive', 'buy', 'swap', 'sell') || (entities.amount !== null && tokens >= 2 && has('for'))
}

const SENDING = ['send', 'sending', 'transfer', 'transferring', 'withdraw', 'withdrawing', 'stake', 'unstake', 'lend', 'borrow'] as const

/** `send me a quote` sends nothing. */
function wantsToSend({ has, says }: Signs): boolean {
  return has(...SENDING) && !says('send me') && !says('send us')
}

function asksPrice({ has, says, tokens }: Signs): boolean {
  if (has('price', 'prices', 'priced', 'worth', 'cost', 'costs', 'rate', 'rates', 'value', 'oracle', 'feed')) return true
  return tokens > 0 && (says('how much is') || says('how much are') || says('how much does') || (says('how many') && !has('decimals')))
}
