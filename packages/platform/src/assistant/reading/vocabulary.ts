/** The English words that the assistant knows, grouped by meaning. */
import { wordsOf } from './words.ts'

/** The token after one of these is sold. */
export const SOLD_AFTER = wordsOf(
  'sell selling spend spending pay paying swap swapping exchange exchanging convert converting trade trading with using from have',
)
/** The token after one of these is bought. */
export const BOUGHT_AFTER = wordsOf('buy buying purchase purchasing acquire get getting receive receiving into to many much in')
/** Words that may stand between such a word and its token, or between an amount and its token. */
export const BETWEEN = wordsOf('a an the this that it my our me us some all more another of worth about around exactly least token tokens')
export const DOLLARS = wordsOf('usd dollar dollars bucks')
export const TIME_UNITS = wordsOf('second seconds minute minutes hour hours day days week weeks month months year years')
/** A number before one of these counts something other than a token. */
export const COUNTED = wordsOf(...TIME_UNITS, 'block blocks bps bp percent time times pools tokens chains positions trades transactions')

export const COIN_NAMES = new Map(Object.entries({ ether: 'eth', ethers: 'eth', ethereum: 'eth', bitcoin: 'btc', bitcoins: 'btc' }))
/** Names of currencies without a price feed; the answer must not show dollars instead. */
export const CURRENCIES: ReadonlyMap<string, string> = new Map(
  ['EUR euro euros', 'GBP pound pounds', 'JPY yen', 'CHF francs', 'CNY yuan', 'INR rupees', 'CAD', 'AUD'].flatMap((line) => {
    const [code = '', ...names] = line.split(' ')
    return [code, ...names].map((name) => [name.toLowerCase(), code] as const)
  }),
)

/** Chains that people name whether they are configured or not. */
export const KNOWN_CHAINS = wordsOf(
  'l1 l2 ethereum mainnet sepolia holesky hoodi base optimism arbitrum unichain ink blast mantle zksync linea scroll polygon bsc',
  'avalanche gnosis fantom celo solana',
)
/** The word after one of these names a chain, or may name one. */
export const CHAIN_AFTER = wordsOf('on chain network chainid')
export const MAYBE_CHAIN_AFTER = wordsOf('of in for at from')
/** Figures that differ between chains. */
export const CHAIN_FIGURES = wordsOf('block blocks height gas rpc tvl locked pools liquidity chain network mainnet')

/** Words without a meaning of their own here. */
const FILLERS = wordsOf(
  'i we you he she they your its their is was are be been am do does did would can could should shall will want wanted like need please',
  'what which who how where why and or but not no yes so than as by via per vs versus against through between for at here there up out',
  'over now today current currently latest newest still already again instead just also only very too ok okay hi hello hey tell show give',
  'let make go ahead find check look know think best good cheap fine one two half both each any other same mean say try take use rather',
  'yeah yep refresh update retry these those has had them wallet account address number hash send',
)
/** Words that say what a question is about. */
const SUBJECTS = wordsOf(
  'price prices cost costs rate rates value quote quotes estimate oracle feed feeds market simulate simulating',
  'risk risks risky riskier safe safety unsafe rug scam danger dangerous assess assessment slippage impact',
  'balance balances hold holds holding holdings own position positions portfolio pnl profit loss volume status fee fees transaction tx',
  'deposit bridge research analyze report data coin coins contract network networks execute execution confirm proceed wallets swaps',
)
/** These words are not read as tokens, unless they are spelled exactly like one. */
export const COMMON = wordsOf(
  ...[...FILLERS, ...SUBJECTS, ...SOLD_AFTER, ...BOUGHT_AFTER, ...BETWEEN, ...COUNTED, ...DOLLARS],
  ...[...CHAIN_AFTER, ...MAYBE_CHAIN_AFTER, ...CHAIN_FIGURES],
)
