/** The English words that the assistant knows, by what they mean. */

export const SOLD_AFTER: ReadonlySet<string> = new Set(
  'sell selling spend spending pay paying with using from swap swapping exchange exchanging convert converting trade trading have'.split(
    ' ',
  ),
)
export const BOUGHT_AFTER: ReadonlySet<string> = new Set(
  'buy buying purchase purchasing get getting receive receiving acquire into to many much'.split(' '),
)
/** Stand between such a word and the token. */
export const SKIPPED: ReadonlySet<string> = new Set(
  'a an the my our some all of worth about around approximately exactly token tokens another me us more this that it at least'.split(' '),
)
export const SWAP_VERBS: ReadonlySet<string> = new Set('swap swapping exchange exchanging convert converting'.split(' '))
export const TRADE_VERBS: ReadonlySet<string> = new Set(
  'buy buying sell selling trade trading purchase purchasing acquire execute simulate simulation'.split(' '),
)
export const DOLLAR_WORDS: ReadonlySet<string> = new Set('usd dollar dollars bucks'.split(' '))
/** After a number: it counts something that is no token. */
export const COUNTED: ReadonlySet<string> = new Set(
  'second seconds minute minutes hour hours day days week weeks month months year years block blocks bps bp percent confirmations times time pools tokens chains positions trades transactions'.split(
    ' ',
  ),
)
export const CHAIN_BEFORE: ReadonlySet<string> = new Set('on chain network chainid'.split(' '))
export const CHAIN_MAYBE_BEFORE: ReadonlySet<string> = new Set('of in for at from'.split(' '))
export const CHAIN_AFTER: ReadonlySet<string> = new Set('chain network block blocks gas rpc tvl pools balance balances'.split(' '))
/** Chains that people name whether they are configured or not: an answer about another one would be wrong. */
export const WELL_KNOWN_CHAINS: ReadonlySet<string> = new Set(
  'l1 l2 ethereum mainnet sepolia holesky hoodi base optimism arbitrum polygon bsc avalanche gnosis fantom zksync linea scroll blast mantle celo solana unichain ink'.split(
    ' ',
  ),
)
/** Names of coins, and their symbols. */
export const COIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['ether', 'eth'],
  ['ethers', 'eth'],
  ['ethereum', 'eth'],
  ['bitcoin', 'btc'],
  ['bitcoins', 'btc'],
])

const FILLERS =
  'i we you he she they would want wanted like need please can could should shall will do does did is are was be been am there here what which who how when where why and or but not no yes ok okay if then than now today current currently latest newest last next so just also only very too hi hello hey thanks thank tell show give let make go ahead find check look up out off over by as good bad best cheap high low big small new old your their its one two half right left still already again instead same other any each every both between via per vs versus against through know think'
const THINGS =
  'price prices worth cost costs rate rates value quote quotes estimate risk risks risky safe safety unsafe rug scam danger dangerous assess assessment balance balances wallet wallets hold holds holding holdings account block blocks height number hash gas fee fees deposit deposits deposited bridge bridged position positions portfolio pnl profit profits loss losses volume tvl locked liquidity pool pools research analyse analyze analysis investigate report token tokens coin coins address contract chain chains network slippage impact oracle feed feeds market data status transaction tx help agent assistant execution'

/** Words that are not read as a token, unless they are spelled exactly as one. */
export const COMMON: ReadonlySet<string> = new Set([
  ...FILLERS.split(' '),
  ...THINGS.split(' '),
  ...[SOLD_AFTER, BOUGHT_AFTER, SKIPPED, SWAP_VERBS, TRADE_VERBS, COUNTED, CHAIN_BEFORE, CHAIN_MAYBE_BEFORE].flatMap((words) => [...words]),
])
