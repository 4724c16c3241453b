/** Never guesses: a missing part is null. */
import type { ChainNames } from '../../tools/token-names.ts'
import { type Amount, findAmount, findMoney, isNumberLike } from './amounts.ts'
import { findChain } from './chain-name.ts'
import { findPeriod, type Period } from './period.ts'
import { findMentions, type Sides, sidesOf, spellerOf } from './tokens.ts'
import { OBSTACLES, type Obstacle, RULES, SWAPS, type Topic, TRADES } from './topics.ts'
import { COMMON, findTerm, VENUES } from './vocabulary.ts'
import { type Found, splitWords, type Word } from './words.ts'

export interface Entities extends Sides {
  readonly amount: Amount | null
  readonly unread: string | null
  readonly chain: string | null
  /** An exchange or a protocol. */
  readonly venue: string | null
  readonly slippageBps: number | null
  readonly period: Period | null
  readonly address: string | null
  readonly hash: string | null
  readonly blockNumber: number | null
  readonly bitcoinAddress: string | null
  readonly rawTransaction: string | null
}

export interface ReadText {
  /** Null when no rule matches, or when a request to trade contains unknown words. */
  readonly topic: Topic | null
  readonly obstacle: Obstacle | null
  readonly term: string | null
  readonly isOnlyTokens: boolean
  readonly entities: Entities
  /** Whether the text may continue the previous question. */
  readonly continues: boolean
}

const LITERALS = {
  address: /^0x[0-9a-f]{40}$/i,
  hash: /^0x[0-9a-f]{64}$/i,
  bitcoinAddress: /^((bc1|tb1|bcrt1)[02-9ac-hj-np-z]{8,90}|[13][1-9A-HJ-NP-Za-km-z]{25,39})$/i,
  rawTransaction: /^[0-9a-f]{120,}$/i,
} as const
/** Topics that an unknown word makes unclear. */
const STRICT: ReadonlySet<Topic> = new Set([...SWAPS, 'price', 'compare'])
const REPEAT = /\b(again|now|same|refresh|retry|yes)\b/
const UNCLEAR = '?'
const FOREIGN_SCRIPT = /[^\p{Script=Latin}\p{N}\p{P}\p{S}]/u

export function readText(text: string, chains: readonly ChainNames[]): ReadText {
  const spell = spellerOf(chains)
  const words = splitWords(text)
  const taken = new Set<number>()
  const take = <T>({ value, used }: Found<T>): T => {
    for (const at of used) taken.add(at)
    return value
  }
  const literal = (kind: keyof typeof LITERALS) => words.findLast((word) => LITERALS[kind].test(word.text))?.text ?? null
  const chain = take(findChain(words, chains, (word) => spell(word.text) !== null))
  const blockNumber = take(findBlockNumber(words, taken))
  const slippageBps = take(findSlippage(words))
  const period = take(findPeriod(words))
  const money = take(findMoney(words))
  words.forEach(({ text: word }, at) => {
    if (LITERALS.hash.test(word) || LITERALS.bitcoinAddress.test(word) || LITERALS.rawTransaction.test(word)) taken.add(at)
  })
  const mentions = findMentions(words, spell, taken)
  const sides = sidesOf(mentions)
  const entities: Entities = {
    ...sides,
    ...findAmount({ words, mentions, money, taken }, sides),
    chain,
    venue: words.find(({ lower }) => VENUES.has(lower))?.lower ?? null,
    slippageBps,
    period,
    blockNumber,
    address: literal('address'),
    hash: literal('hash')?.toLowerCase() ?? null,
    bitcoinAddress: literal('bitcoinAddress'),
    rawTransaction: literal('rawTransaction')?.toLowerCase() ?? null,
  }
  const named = new Set([...taken, ...mentions.map(({ at }) => at)])
  const rest = words.flatMap(({ lower }, at) => (named.has(at) || isNumberLike(lower) || LITERALS.address.test(lower) ? [] : [lower]))
  const whole = words.map(({ lower }) => lower).join(' ')
  // with three tokens it is unclear which two are meant
  const isClear = new Set(mentions.map(({ token }) => token)).size <= 2
  const topic = topicOf(words, whole, isClear ? rest : [...rest, UNCLEAR], entities)
  return { ...topic, entities, continues: continuesQuestion(whole, rest, entities, topic.obstacle) }
}

function topicOf(words: readonly Word[], whole: string, rest: readonly string[], entities: Entities) {
  const tokens = [entities.tokenIn, entities.tokenOut, entities.loose].filter((token) => token !== null).length
  const rule = RULES.find(([, pattern, { names, minTokens = 0, maxTokens = 2, unless } = {}]) => {
    const isNamed = names === undefined || entities[names] !== null
    const fits = tokens >= minTokens && tokens <= maxTokens && isNamed
    return fits && pattern.test(whole) && !unless?.test(whole)
  })
  const term = findTerm(words)
  const topic = term !== null ? 'term' : (rule?.[0] ?? null)
  const obstacle = OBSTACLES.find(([, pattern]) => pattern.test(whole))?.[0] ?? null
  const isKnown = rest.every((word) => COMMON.has(word) || isObstacle(word))
  const isRefused = topic !== null && TRADES.has(topic) && obstacle !== null
  const isUnderstood = topic !== null && !FOREIGN_SCRIPT.test(rest.join('')) && (isKnown || isRefused || !STRICT.has(topic))
  return { topic: isUnderstood ? topic : null, obstacle, term, isOnlyTokens: rule === undefined && tokens > 0 && isKnown }
}

function continuesQuestion(whole: string, rest: readonly string[], entities: Entities, obstacle: Obstacle | null): boolean {
  if (!rest.every((word) => COMMON.has(word) || isObstacle(word))) return false
  return obstacle !== null || REPEAT.test(whole) || Object.values(entities).some((value) => value !== null)
}

function isObstacle(word: string): boolean {
  return OBSTACLES.some(([, pattern]) => pattern.test(word))
}

function findBlockNumber(words: readonly Word[], taken: ReadonlySet<number>): Found<number | null> {
  const at = words.findIndex(({ lower }, i) => {
    const before = words.slice(Math.max(0, i - 3), i).map((word) => word.lower)
    return !taken.has(i) && /^#?\d{1,15}$/.test(lower) && /(^| )(block|height)( number| no| at| is)*$/.test(before.join(' '))
  })
  return at < 0 ? { value: null, used: [] } : { value: Number(words[at]?.lower.replace('#', '')), used: [at] }
}

function findSlippage(words: readonly Word[]): Found<number | null> {
  for (const [at, { lower }] of words.entries()) {
    const percent = /^(\d{1,3}(?:\.\d{1,2})?)%$/.exec(lower)?.[1]
    const bps = /^(\d{1,5})bps$/.exec(lower)?.[1] ?? (words[at + 1]?.lower === 'bps' ? /^\d{1,5}$/.exec(lower)?.[0] : undefined)
    const points = percent === undefined ? Number(bps ?? Number.NaN) : Math.round(Number(percent) * 100)
    const isNear = words.slice(Math.max(0, at - 4), at + 4).some((word) => word.lower === 'slippage')
    if (isNear && points <= 10_000) return { value: points, used: [at] }
  }
  return { value: null, used: [] }
}
