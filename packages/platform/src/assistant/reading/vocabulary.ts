import answers from '../data/answers.json' with { type: 'json' }
import data from '../data/vocabulary.json' with { type: 'json' }
import { type Word, wordsOf } from './words.ts'

const { words } = data

export const SOLD_AFTER = wordsOf(words.soldAfter)
export const BOUGHT_AFTER = wordsOf(words.boughtAfter)
export const BETWEEN = wordsOf(words.between)
export const DOLLARS = wordsOf(words.dollars)
export const UNREAD_TIMES = wordsOf(words.unreadTimes, words.timeUnits)
/** A number before these words is no amount of tokens. */
export const COUNTED = wordsOf(words.timeUnits, words.counted)
export const NUMBER_WORDS = wordsOf(words.numbers)
export const SHARES = wordsOf(words.shares)
export const COIN_NAMES = new Map(Object.entries(data.coinNames))
/** Currencies without a price feed; answers must not show dollars instead. */
export const CURRENCIES: ReadonlyMap<string, string> = new Map(
  Object.entries(data.currencies).flatMap(([code, names]) => names.split(' ').map((name) => [name, code] as const)),
)
export const KNOWN_CHAINS = wordsOf(words.knownChains)
/** Exchanges and protocols, which are no chains. */
export const VENUES = wordsOf(words.ownVenues, words.otherVenues)
export const CHAIN_AFTER = wordsOf(words.chainAfter)
export const MAYBE_CHAIN_AFTER = wordsOf(words.maybeChainAfter)
export const CHAIN_FIGURES = wordsOf(words.chainFigures)
/** Words that are tokens only when spelled exactly. */
export const COMMON = wordsOf(
  ...[words.fillers, words.subjects, words.soldAfter, words.boughtAfter, words.between, words.timeUnits, words.counted],
  ...[words.ownVenues, words.dollars, words.chainAfter, words.maybeChainAfter, words.chainFigures],
)

const TERMS = Object.entries(answers.terms).map(([name, text]) => [new RegExp(`^(${name})$`), text] as const)
const ASKING = wordsOf('what explain define meaning mean means')
const AROUND = wordsOf('is are a an does do of please tell me can you to by in trading')
const MAX_WORDS = 10

/** Null when the text does not ask for a term's meaning. */
export function findTerm(said: readonly Word[]): string | null {
  if (said.length > MAX_WORDS || !said.some(({ lower }) => ASKING.has(lower))) return null
  const asked = said.flatMap(({ lower }) => (ASKING.has(lower) || AROUND.has(lower) ? [] : [lower])).join(' ')
  return TERMS.find(([name]) => name.test(asked))?.[1] ?? null
}
