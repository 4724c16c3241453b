/**
 * Reasons not to answer a wish to trade with a quote, a simulation or a body to execute: the text denies it, names a price
 * to wait for, a condition, or another time. An answer that overlooks such a word would do the opposite of what the user said.
 */
import { readAmount } from './amounts.ts'
import { COUNTED, TIME_UNITS, union, wordsOf } from './lexicon.ts'
import type { Word } from './words.ts'

export type Obstacle = 'denied' | 'limit_order' | 'condition' | 'other_time'

const DENIALS = wordsOf("don't dont doesn't not never", "won't wouldn't shouldn't can't cannot mustn't", 'cancel abort stop nevermind')
const ORDERS = wordsOf('limit stop-loss stoploss trailing dca leverage', 'above below under reaches hits drops rises')
const ORDER_PHRASES = [
  'at least',
  'at most',
  'no less than',
  'or more',
  'or better',
  'stop loss',
  'take profit',
  'short sell',
  'go long',
  'go short',
]
const CONDITIONS = wordsOf('if when whenever once unless until')
const WEEKDAYS = wordsOf('monday tuesday wednesday thursday friday saturday sunday')
const OTHER_TIMES = union(
  WEEKDAYS,
  TIME_UNITS,
  wordsOf('tomorrow tonight later soon yesterday ago', 'daily weekly monthly hourly recurring schedule scheduled', 'midnight noon'),
)
/** Stand beside a denial: `don't do it`. */
const ACTIONS = wordsOf('do')
const CLOCK_TIME = /^\d{1,2}(:\d\d)?(am|pm)$|^\d{1,2}:\d\d$|^\d{1,3}[hdw]$/

/** Returns the most serious obstacle in a text that asks to swap, buy or sell. */
export function obstacleOfTrade(words: readonly Word[]): Obstacle | null {
  if (deniesIt(words)) return 'denied'
  const whole = ` ${words.map(plain).join(' ')} `
  if (has(words, ORDERS) || ORDER_PHRASES.some((phrase) => whole.includes(` ${phrase} `)) || namesPrice(words)) return 'limit_order'
  if (has(words, CONDITIONS)) return 'condition'
  return namesOtherTime(words) ? 'other_time' : null
}

/** For a lower-case word. */
export function isObstacleWord(word: string): boolean {
  const text = word.replaceAll('’', "'")
  return [DENIALS, ORDERS, CONDITIONS, OTHER_TIMES, ACTIONS].some((words) => words.has(text)) || CLOCK_TIME.test(text)
}

export function deniesIt(words: readonly Word[]): boolean {
  return has(words, DENIALS)
}

/** Another time than now. */
export function namesOtherTime(words: readonly Word[]): boolean {
  return has(words, OTHER_TIMES) || words.some(({ lower }) => CLOCK_TIME.test(lower))
}

/** `sell 1 ETH at 3000`. */
function namesPrice(words: readonly Word[]): boolean {
  return words.some(
    ({ lower }, i) => lower === 'at' && readAmount(words[i + 1]?.lower ?? '') !== null && !COUNTED.has(words[i + 2]?.lower ?? ''),
  )
}

function has(words: readonly Word[], wanted: ReadonlySet<string>): boolean {
  return words.some((word) => wanted.has(plain(word)))
}

function plain({ lower }: Word): string {
  return lower.replaceAll('’', "'")
}
