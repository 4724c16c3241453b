/** Reads the question of the newest message; an incomplete one continues the previous question. */
import type { Message } from '../schemas/chat.ts'
import type { ChainNames } from '../tools/token-names.ts'
import { severalQuestions } from './clauses.ts'
import { type Entities, type ReadText, readText } from './entities.ts'
import type { FoundAmount } from './find-amount.ts'
import { COMMON, FOLLOW_UP } from './lexicon.ts'
import { deniesIt, isObstacleWord, namesOtherTime } from './obstacles.ts'
import { readTopic, type Topic, topicOfTokens, withObstacle } from './topic.ts'
import type { Word } from './words.ts'

export interface Question {
  /** Null when the message is not understood. */
  readonly topic: Topic | null
  readonly entities: Entities
  readonly words: readonly Word[]
  /** The questions of a message that asks several; empty in all others. */
  readonly parts: readonly string[]
}

/** Maximum number of the user's messages that are read. */
const MAX_REMEMBERED = 20
const FIRST_PERSON: ReadonlySet<string> = new Set(['i', 'my', 'mine'])
const AGAIN: ReadonlySet<string> = new Set(['again', 'now', 'same', 'refresh', 'update', 'retry', 'yes'])
const MAX_WORDS_AGAIN = 5
/** Topics that continue the previous swap. */
const OF_SWAPS: ReadonlySet<Topic> = new Set(['swap_tokens', 'trade', 'quote', 'risk', 'confirm'])
const OF_TOKENS: ReadonlySet<Topic> = new Set([...OF_SWAPS, 'price', 'tokens', 'research'])
/** Topics that do not replace the previous question. */
const ASIDE: ReadonlySet<Topic> = new Set([
  ...(['several', 'term', 'help', 'thanks', 'token_list', 'other_language', 'send'] as const),
  ...(['denied', 'limit_order', 'condition', 'other_time'] as const),
])

/** Expects the last message to be the user's. */
export function readQuestion(messages: readonly Message[], chains: readonly ChainNames[]): Question {
  let before: Before | null = null
  let asked: Question = { topic: null, entities: readText('', chains).entities, words: [], parts: [] }
  for (const { content } of messages.filter(({ role }) => role === 'user').slice(-MAX_REMEMBERED)) {
    asked = readMessage(before, content, chains)
    before = remembered(before, asked)
  }
  return asked
}

interface Before extends Question {
  /** False when a message that was not understood came after it. */
  readonly isLast: boolean
}

/** After a message that was not understood, "risk of the swap" still finds the swap, but a bare number does not change it. */
function remembered(before: Before | null, asked: Question): Before | null {
  if (asked.topic === null) return before === null ? null : { ...before, isLast: false }
  return ASIDE.has(asked.topic) ? before : { ...asked, isLast: true }
}

function readMessage(before: Before | null, text: string, chains: readonly ChainNames[]): Question {
  const read = readText(text, chains)
  const parts = severalQuestions(text, chains)
  if (parts.length > 0) return { topic: 'several', entities: read.entities, words: read.words, parts }
  return { ...follow(before, read), words: read.words, parts }
}

function follow(before: Before | null, read: ReadText): Pick<Question, 'topic' | 'entities'> {
  const named = readTopic(read)
  const own = isOfOtherThings(named, read) ? null : named
  const inherited = own === null && before?.isLast === true && goesOn(read) ? before.topic : null
  const topic = withObstacle(own ?? inherited ?? topicOfTokens(read), read)
  const entities = topic !== null && OF_TOKENS.has(topic) ? read.entities : withoutAddressTokens(read.entities)
  if (before === null) return { topic, entities: settled(entities) }
  const isOwn = read.words.some(({ lower }) => FIRST_PERSON.has(lower))
  const isSameMatter = inherited !== null || topic === before.topic || (isOfSwaps(topic) && isOfSwaps(before.topic))
  return { topic, entities: settled(merged(before.entities, entities, { isSameMatter, isNew: own !== null, isOwn, topic })) }
}

/** A wish to trade something that is not a token: `buy me a coffee`. */
function isOfOtherThings(topic: Topic | null, { rest, entities: { tokenIn, tokenOut, loose } }: ReadText): boolean {
  if (topic !== 'trade' && topic !== 'swap_tokens') return false
  return (tokenIn ?? tokenOut ?? loose) === null && rest.some((word) => !COMMON.has(word) && !FOLLOW_UP.has(word) && !isObstacleWord(word))
}

/** True when the message consists of entities and linking words that fit into the previous question. */
function goesOn({ words, rest, entities }: ReadText): boolean {
  if (!rest.every((word) => FOLLOW_UP.has(word) || isObstacleWord(word))) return false
  const { tokenIn, tokenOut, loose, amount, share, unreadAmount, chain, addresses, hashes, blockNumber, slippageBps, period } = entities
  if ([tokenIn, tokenOut, loose, amount, share, unreadAmount, chain, blockNumber, slippageBps, period].some((value) => value !== null))
    return true
  if (addresses.length + hashes.length > 0) return true
  if (words.length > MAX_WORDS_AGAIN) return false
  return words.some(({ lower }) => AGAIN.has(lower)) || deniesIt(words) || namesOtherTime(words)
}

function isOfSwaps(topic: Topic | null): boolean {
  return topic !== null && OF_SWAPS.has(topic)
}

type Swap = Pick<Entities, 'tokenIn' | 'tokenOut' | 'loose' | keyof FoundAmount | 'unreadAmount' | 'slippageBps'>

interface Step {
  readonly topic: Topic | null
  /** The text says by itself what it wants. */
  readonly isNew: boolean
  readonly isSameMatter: boolean
  /** True when the text refers to the user's own account instead of one named before. */
  readonly isOwn: boolean
}

function merged(before: Entities, now: Entities, how: Step): Entities {
  const list = <T>(mine: readonly T[], earlier: readonly T[]) => (mine.length > 0 || !how.isSameMatter || how.isOwn ? mine : earlier)
  const one = <T>(mine: T | null, earlier: T | null) => mine ?? (how.isSameMatter ? earlier : null)
  return {
    ...now,
    ...mergedSwap(before, now, how),
    chain: one(now.chain, before.chain),
    addresses: list(now.addresses, before.addresses),
    writtenAddresses: list(now.writtenAddresses, before.writtenAddresses),
    hashes: list(now.hashes, before.hashes),
    blockNumber: how.isNew ? now.blockNumber : one(now.blockNumber, before.blockNumber),
    period: how.isNew ? now.period : one(now.period, before.period),
    bitcoinAddress: one(now.bitcoinAddress, before.bitcoinAddress),
    rawTransaction: one(now.rawTransaction, before.rawTransaction),
  }
}

function mergedSwap(before: Swap, now: Swap, step: Step): Swap {
  const token = now.tokenIn ?? now.tokenOut ?? now.loose
  if (isPair(now)) return now
  const isPriceOfIt = step.isNew && step.topic === 'price'
  const isAsBefore = token === null || (isOnItsSide(token, before, now) && !isPriceOfIt)
  if (!isAsBefore && step.isNew && !completes(before, now, step.topic)) return now
  const swap = isAsBefore ? withAmount(token, before, now) : withToken(token, before, now, step.topic)
  return { ...swap, slippageBps: now.slippageBps ?? before.slippageBps }
}

/** Both sides are named: nothing of what was said before belongs to it. */
function isPair({ tokenIn, tokenOut }: Swap): boolean {
  return tokenIn !== null && tokenOut !== null
}

function namesAmount({ amount, share, unreadAmount }: Swap): boolean {
  return amount !== null || share !== null || unreadAmount !== null
}

/** The swap as it was, with the new amount if there is one: of the token that is named with it, else of the side it was of. */
function withAmount(token: string | null, before: Swap, now: Swap): Swap {
  if (!namesAmount(now)) return before
  const { amount, share, unreadAmount, amountCurrency } = now
  const amountOf = token === null ? (before.amountOf ?? 'in') : token === before.tokenIn ? 'in' : 'out'
  return { ...before, amount, share, unreadAmount, amountOf, amountCurrency }
}

/** It names a token again that the swap has, and on no other side than there. */
function isOnItsSide(token: string, before: Swap, now: Swap): boolean {
  return token === before.tokenIn ? now.tokenOut === null : token === before.tokenOut && now.tokenIn === null
}

/** A swap that had one side gets its other one. */
function completes(before: Swap, now: Swap, topic: Topic | null): boolean {
  if (!isOfSwaps(topic) || topic === 'risk' || (before.tokenIn === null) === (before.tokenOut === null)) return false
  return now.loose !== null || (before.tokenIn === null ? now.tokenIn !== null : now.tokenOut !== null)
}

/** One token takes the free side, or that of which it is said to be, else it is bought instead (or priced instead). */
function withToken(token: string, before: Swap, now: Swap, topic: Topic | null): Swap {
  const isSold = now.tokenIn !== null || (now.loose !== null && (before.tokenIn === null || topic === 'price'))
  const sides = isSold ? { tokenIn: token, tokenOut: before.tokenOut } : { tokenIn: before.tokenIn, tokenOut: token }
  const keepsAmount = !namesAmount(now) && (!isSold || before.tokenIn === null)
  const kept = keepsAmount ? before : now
  const amountOf = kept.amountOf === 'loose' ? (isSold ? 'in' : 'out') : kept.amountOf
  return { ...kept, ...sides, loose: null, amountOf }
}

/** A token whose side nobody said is the one that is sold. */
function settled(entities: Entities): Entities {
  const { loose, amountOf } = entities
  if (loose === null) return entities
  return { ...entities, tokenIn: loose, loose: null, amountOf: amountOf === 'loose' ? 'in' : amountOf }
}

function withoutAddressTokens(entities: Entities): Entities {
  const bare = (token: string | null) => (token?.startsWith('0x') ? null : token)
  return { ...entities, tokenIn: bare(entities.tokenIn), tokenOut: bare(entities.tokenOut), loose: bare(entities.loose) }
}
