import type { Entities } from './read-text.ts'

export type Obstacle = 'denied' | 'limit_order' | 'condition' | 'other_time'
export type Topic =
  | ('several' | 'term' | 'help' | 'thanks' | 'send' | Obstacle)
  | ('swap_tokens' | 'trade' | 'confirm' | 'quote' | 'risk' | 'price')
  | ('research' | 'tvl' | 'pools' | 'bitcoin_transaction' | 'bitcoin_address' | 'bitcoin_block')
  | ('compare' | 'transaction' | 'bridge' | 'faucet' | 'apy')
  | ('pnl' | 'volume' | 'trades' | 'positions' | 'balance' | 'wallets')
  | ('gas' | 'block' | 'block_of_hash' | 'newest_block' | 'deposit' | 'token_list' | 'token' | 'chains')

export interface Condition {
  readonly names?: keyof Entities
  readonly minTokens?: number
  readonly maxTokens?: number
  readonly unless?: RegExp
}

const HOW_MUCH = /\b(how (much|many)|what (do|would|will|can) i)\b.*\b(get|receive|buy|swap|sell)\b/
const SWAP = /\b(swap|swapping|exchange|exchanging|convert|converting)\b/
const TRADE = /\b(swap|swapping|exchange|exchanging|convert|converting|buy|buying|purchase|sell|selling|trade|trading|execute|simulate)\b/
const RATE = { unless: /\brate\b/ }
const TRADED =
  /\b(did|have|had) (i|we)( ever)? (trade|traded|swap|swapped|exchange|exchanged|convert|converted|buy|bought|sell|sold|spend|spent)\b|\b(i|we) (traded|swapped|bought|sold|spent)\b/
const TEST_FUNDS = /\bfaucets?\b|\b(free|test|testnet)( \w+)? (eth|ether|tokens?|coins?|funds|money|currency)\b/

/** The first rule that fits a lower-case text decides. */
export const RULES: readonly (readonly [Topic, RegExp, Condition?])[] = [
  ['faucet', TEST_FUNDS],
  ['deposit', /\b(deposit|deposits|deposited|bridge|bridged|bridging)\b/, { names: 'hash' }],
  [
    'bridge',
    /\b(how|where|can i|could i|want to|need to|help)\b.*\b(deposit|bridge|bridging|withdraw|withdrawals?)\b/,
    { unless: /\bmy deposit\b/ },
  ],
  ['bridge', /\b(bridge|bridging|withdraw|withdrawals?)\b.*\b(from|to|back to) (l1|ethereum|mainnet)\b/],
  ['help', /\bhow (do|can) i\b/, { maxTokens: 0 }],
  ['research', /\b(research|analy[sz]e|investigate|explore|analysis|report|yields)\b/],
  ['bitcoin_transaction', /./, { names: 'rawTransaction' }],
  ['bitcoin_address', /./, { names: 'bitcoinAddress' }],
  ['bitcoin_block', /\b(bitcoin|btc)\b.*\b(block|height)|\b(block|height)\b.*\b(bitcoin|btc)\b/],
  ['deposit', /\bdeposit(s|ed)?\b/],
  ['deposit', /\b(status|state|my|stuck|pending|arrived?|track|where is)\b.*\b(bridge|bridged|bridging)\b/],
  ['bridge', /\b(bridge|bridged|bridging)\b/],
  ['transaction', /./, { names: 'hash', unless: /\bblock\b/ }],
  ['transaction', /\b(transaction|tx|txn)\b/, { maxTokens: 0, unless: /\b(bitcoin|btc|block|gas|fees?|cost|costs)\b/ }],
  ['send', /\b(send|sending|transfer|withdraw|stake|unstake|lend|borrow)\b/, { unless: /\bsend (me|us)\b/ }],
  ['pnl', /\b(pnl|p&l|profits?|loss|losses|earn|earned)\b/],
  ['tvl', /\b(tvl|value locked)\b/],
  ['apy', /\b(apys?|aprs?|yield|interest rates?)\b/],
  ['volume', /\bvolumes?\b/],
  ['volume', TRADED, { maxTokens: 0 }],
  ['trades', TRADED],
  ['compare', /\b(compare|comparing|compared|comparison|versus|better)\b/, { minTokens: 2 }],
  ['trades', /\b(trades|executions|trade history)\b/, { maxTokens: 0 }],
  ['positions', /\b(positions?|portfolio)\b/],
  ['risk', /\b(risks?|risky|riskier|safe|safety|unsafe|rug|scam|danger|dangerous|assess|assessment)\b/],
  ['gas', /\b(gas|base fee)\b/],
  ['balance', /\bdo i (have|own|hold)\b/],
  ['balance', /\b(have|has|own|owns)\b/, { names: 'address' }],
  ['quote', /\bquotes?\b/],
  ['quote', HOW_MUCH, { minTokens: 1 }],
  ['swap_tokens', SWAP, { minTokens: 2, ...RATE }],
  ['trade', TRADE, RATE],
  ['confirm', /\b(confirm|confirmed|proceed|go ahead|do it)\b/],
  ['pools', /\b(pools?|liquidity)\b/],
  ['price', /\b(prices?|priced|worth|costs?|rates?|value|oracle|feed)\b/],
  ['price', /\bhow much (is|are|does)\b/, { minTokens: 1 }],
  ['balance', /\b(balances?|holdings?|holds?)\b/],
  ['wallets', /\bwallets?\b/],
  ['block', /\b(blocks?|height)\b/, { names: 'blockNumber' }],
  ['block_of_hash', /\bblock\b/, { names: 'hash' }],
  ['newest_block', /\b(blocks?|height)\b/],
  ['token_list', /\b(tokens|coins)\b/, { maxTokens: 0 }],
  ['token', /\b(tokens?|coins|decimals|contract)\b/, { minTokens: 1 }],
  ['chains', /\b(chains?|networks?)\b/],
  ['help', /\b(help|hello|hi|hey|capabilities|what can you|who are you|what are you)\b/],
  ['thanks', /\b(thanks|thank|thx)\b/],
]

/** An answer that ignores these words would do the opposite of what the user said. */
export const OBSTACLES: readonly (readonly [Obstacle, RegExp])[] = [
  [
    'denied',
    /(^|\s)(don't|dont|doesn't|not|never|won't|wouldn't|shouldn't|can't|cannot|mustn't|cancel|abort|stop(?! loss)|nevermind)(\s|$)/,
  ],
  [
    'limit_order',
    /\b(limit|stop-loss|stop loss|trailing|dca|leverage|above|below|under|reaches|hits|drops|rises|take profit|short sell)\b/,
  ],
  ['limit_order', /\b(at (least|most)|no less than|or (more|better)|go (long|short)|at \$?\d[\d.,]*k?(?=\s|$))/],
  ['condition', /\b(if|when|whenever|once|unless|until)\b/],
  ['other_time', /\b((mon|tues|wednes|thurs|fri|satur|sun)day|(second|minute|hour|day|week|month|year)s?|midnight|noon)\b/],
  ['other_time', /\b(tomorrow|tonight|later|soon|yesterday|ago|daily|weekly|monthly|hourly|recurring|schedule)\b/],
  ['other_time', /(^|\s)(\d{1,2}(:\d\d)?(am|pm)|\d{1,2}:\d\d|\d{1,3}[hdw])(\s|$)/],
]

export const TRADES: ReadonlySet<Topic> = new Set(['swap_tokens', 'trade', 'confirm'])
export const SWAPS: ReadonlySet<Topic> = new Set([...TRADES, 'quote', 'risk'])
const REFUSALS = ['denied', 'limit_order', 'condition', 'other_time'] as const
/** Topics in which an address is a token, not an account. */
export const ABOUT_TOKENS: ReadonlySet<Topic> = new Set([...SWAPS, ...REFUSALS, 'price', 'compare', 'token', 'research'])
/** Topics after which the previous question can still be continued. */
export const ASIDE: ReadonlySet<Topic> = new Set([
  ...REFUSALS,
  'several',
  'term',
  'help',
  'thanks',
  'token_list',
  'send',
  'faucet',
  'bridge',
])
