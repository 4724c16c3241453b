/** What the newest message asks, with what earlier messages of the user said where the newest leaves it out. */
import type { Message } from '../schemas/chat.ts'
import type { ChainNames } from '../toolbox/token-names.ts'
import { type Entities, type ReadText, readText } from './entities.ts'
import { deniesIt, namesOtherTime } from './obstacles.ts'
import { readTopic, type Topic, topicOfTokens, withObstacle } from './topic.ts'

export interface Question {
  /** Null when it cannot be told. */
  readonly topic: Topic | null
  readonly entities: Entities
}

/** Messages of the user that are remembered. */
const MAX_REMEMBERED = 20
const AGAIN: ReadonlySet<string> = new Set(['again', 'now', 'same', 'refresh', 'update', 'retry', 'yes'])
const MAX_WORDS_AGAIN = 5
/** Go on with the swap that was spoken of. */
const OF_SWAPS: ReadonlySet<Topic> = new Set(['swap_tokens', 'trade', 'quote', 'risk', 'confirm'])
const OF_TOKENS: ReadonlySet<Topic> = new Set([...OF_SWAPS, 'price', 'tokens', 'research'])
/** Leave what was spoken of as it is. */
const ASIDE: ReadonlySet<Topic> = new Set([
  ...(['help', 'thanks', 'token_list', 'other_language', 'send'] as const),
  ...(['denied', 'limit_order', 'condition', 'other_time'] as const),
])

/** The last message is the user's. */
export function readQuestion(messages: readonly Message[], chains: readonly ChainNames[]): Question {
  let before: Question | null = null
  let asked: Question = { topic: null, entities: readText('', chains).entities }
  for (const { content } of messages.filter(({ role }) => role === 'user').slice(-MAX_REMEMBERED)) {
    asked = follow(before, readText(content, chains))
    if (asked.topic !== null && !ASIDE.has(asked.topic)) before = asked
  }
  return asked
}

function follow(before: Question | null, read: ReadText): Question {
  const own = readTopic(read)
  const inherited = own === null && before !== null && goesOn(read) ? before.topic : null
  const topic = withObstacle(own ?? inherited ?? topicOfTokens(read), read)
  const entities = topic !== null && OF_TOKENS.has(topic) ? read.entities : withoutAddressTokens(read.entities)
  if (before === null) return { topic, entities: settled(entities) }
  const isSameMatter = inherited !== null || topic === before.topic || (isOfSwaps(topic) && isOfSwaps(before.topic))
  return { topic, entities: settled(merged(before.entities, entities, { isSameMatter, isNew: own !== null, topic })) }
}

/** Says something that the question before can be asked with. */
function goesOn({ words, entities }: ReadText): boolean {
  const { tokenIn, tokenOut, loose, amount, unreadAmount, chain, addresses, hashes, blockNumber, slippageBps, period } = entities
  if ([tokenIn, tokenOut, loose, amount, unreadAmount, chain, blockNumber, slippageBps, period].some((value) => value !== null)) return true
  if (addresses.length + hashes.length > 0) return true
  if (words.length > MAX_WORDS_AGAIN) return false
  return words.some(({ lower }) => AGAIN.has(lower)) || deniesIt(words) || namesOtherTime(words)
}

function isOfSwaps(topic: Topic | null): boolean {
  return topic !== null && OF_SWAPS.has(topic)
}

type Swap = Pick<Entities, 'tokenIn' | 'tokenOut' | 'loose' | 'amount' | 'amountOf' | 'amountCurrency' | 'unreadAmount' | 'slippageBps'>

interface Step {
  readonly topic: Topic | null
  /** The text says by itself what it wants. */
  readonly isNew: boolean
  readonly isSameMatter: boolean
}

function merged(before: Entities, now: Entities, how: Step): Entities {
  const list = <T>(mine: readonly T[], earlier: readonly T[]) => (mine.length > 0 || !how.isSameMatter ? mine : earlier)
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

function namesAmount({ amount, unreadAmount }: Swap): boolean {
  return amount !== null || unreadAmount !== null
}

/** The swap as it was, with the new amount if there is one: of the token that is named with it, else of the side it was of. */
function withAmount(token: string | null, before: Swap, now: Swap): Swap {
  if (!namesAmount(now)) return before
  const { amount, unreadAmount, amountCurrency } = now
  const amountOf = token === null ? (before.amountOf ?? 'in') : token === before.tokenIn ? 'in' : 'out'
  return { ...before, amount, unreadAmount, amountOf, amountCurrency }
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
