/** The English words that the assistant knows, by what they mean. A line is a group of words that belong together. */

export const SOLD_AFTER = wordsOf(
  'sell selling',
  'spend spending pay paying',
  'swap swapping exchange exchanging convert converting trade trading',
  'with using from have',
)
export const BOUGHT_AFTER = wordsOf(
  'buy buying purchase purchasing acquire',
  'get getting receive receiving',
  'into to',
  'many much', // how many ETH
)
/** Stand between such a word and the token. */
export const SKIPPED = wordsOf(
  'a an the this that it',
  'my our me us',
  'some all more another',
  'of worth',
  'about around approximately exactly at least',
  'token tokens',
)
export const SWAP_VERBS = wordsOf('swap swapping', 'exchange exchanging', 'convert converting')
export const TRADE_VERBS = wordsOf('buy buying purchase purchasing acquire', 'sell selling', 'trade trading', 'execute simulate simulation')
export const DOLLAR_WORDS = wordsOf('usd dollar dollars bucks')
export const TIME_UNITS = wordsOf('second seconds minute minutes hour hours', 'day days week weeks month months year years')
/** After a number: it counts something that is no token. */
export const COUNTED = union(
  TIME_UNITS,
  wordsOf('block blocks confirmations', 'bps bp percent', 'time times', 'pools tokens chains positions trades transactions'),
)
export const CHAIN_BEFORE = wordsOf('on chain network chainid')
export const CHAIN_MAYBE_BEFORE = wordsOf('of in for at from on')
export const CHAIN_AFTER = wordsOf('chain network', 'block blocks gas rpc', 'tvl pools', 'balance balances')
/** Words for figures that differ by chain. */
export const CHAIN_FIGURES = wordsOf('block blocks height', 'gas rpc', 'tvl locked pools liquidity', 'chain network mainnet')
export const PRICE_WORDS = wordsOf('price prices worth cost costs rate rates')
export const UNITS = wordsOf('wei gwei usd dollar dollars percent bps utc')
/** Chains that people name whether they are configured or not: an answer about another one would be wrong. */
export const WELL_KNOWN_CHAINS = wordsOf(
  'l1 l2 ethereum mainnet',
  'sepolia holesky hoodi',
  'base optimism arbitrum unichain ink blast mantle zksync linea scroll',
  'polygon bsc avalanche gnosis fantom celo solana',
)
/** Names of coins, and their symbols. */
export const COIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['ether', 'eth'],
  ['ethers', 'eth'],
  ['ethereum', 'eth'],
  ['bitcoin', 'btc'],
  ['bitcoins', 'btc'],
])

/** Money that people ask prices in, by its codes: where no feed has it, the answer says so instead of dollars. */
export const CURRENCIES: ReadonlyMap<string, string> = new Map(
  [
    'EUR euro euros',
    'GBP pound pounds sterling',
    'JPY yen',
    'CHF francs',
    'CNY yuan renminbi',
    'INR rupee rupees',
    'CAD',
    'AUD',
    'KRW',
    'BRL',
  ].flatMap((line) => {
    const [code = '', ...names] = line.split(' ')
    return [code, ...names].map((name) => [name.toLowerCase(), code] as const)
  }),
)

const FILLERS = wordsOf(
  'i we you he she they it',
  'your its their',
  'is was are be been am do does did',
  'would can could should shall will',
  'want wanted like need please',
  'which what who how when where why',
  'and or but not no yes if than then so as by via per vs versus against through between',
  'here there up out off over left right',
  'now today current currently latest newest last next still already again instead',
  'just also only very too ok okay',
  'hi hello hey thanks thank',
  'tell show give let make go ahead find check look know think',
  'good bad best cheap high low big small new old',
  'one two half both each every any other same',
)
const THINGS = wordsOf(
  'price prices worth cost costs rate rates value quote quotes estimate oracle feed feeds market',
  'risk risks risky safe safety unsafe rug scam danger dangerous assess assessment slippage impact',
  'balance balances wallet wallets hold holds holding holdings account address',
  'position positions portfolio pnl profit profits loss losses volume',
  'block blocks height number hash gas fee fees status transaction tx',
  'deposit deposits deposited bridge bridged',
  'tvl locked liquidity pool pools',
  'research analyse analyze analysis investigate report data',
  'token tokens coin coins contract chain chains network',
  'help agent assistant execution',
)

/** Words that are not read as a token, unless they are spelled exactly as one. */
export const COMMON = union(
  ...[FILLERS, THINGS, SKIPPED, COUNTED],
  ...[SOLD_AFTER, BOUGHT_AFTER, SWAP_VERBS, TRADE_VERBS, CHAIN_BEFORE, CHAIN_MAYBE_BEFORE],
)

/**
 * Words of a message that continues the previous question: "and for 2?", "make it 5 instead". A message with any other
 * word, such as "a joke about 5 cats", starts a new question.
 */
export const FOLLOW_UP = wordsOf(
  'and or so then but what which how about is are it its that this the a an',
  'for in to on of at from with into as',
  'again now same refresh update retry yes yeah yep no please ok okay',
  'instead only just rather make use try take say say mean meant i want would like give me my show',
  'chain network token block number address slippage bps bp percent dollars usd',
  'sell buy swap get receive it them not more',
)

export function wordsOf(...groups: readonly string[]): ReadonlySet<string> {
  return new Set(groups.flatMap((group) => group.split(' ')))
}

export function union(...sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((words) => [...words]))
}
