/** What the newest message asks, with what earlier messages of the user said where the newest leaves it out. */
import type { Message } from '../schemas/chat.ts'
import type { ChainNames } from '../toolbox/token-names.ts'
import { type Entities, type ReadText, readText } from './entities.ts'
import { readTopic, type Topic, topicOfTokens } from './topic.ts'

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
const ASIDE: ReadonlySet<Topic> = new Set(['help', 'thanks'])

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
  const topic = own ?? inherited ?? topicOfTokens(read)
  const entities = topic !== null && OF_TOKENS.has(topic) ? read.entities : withoutAddressTokens(read.entities)
  if (before === null) return { topic, entities: settled(entities) }
  const isSameMatter = inherited !== null || topic === before.topic || (isOfSwaps(topic) && isOfSwaps(before.topic))
  return { topic, entities: settled(merged(before.entities, entities, { isSameMatter, isNew: own !== null, topic })) }
}

/** Says something that the question before can be asked with. */
function goesOn({ words, entities }: ReadText): boolean {
  const { tokenIn, tokenOut, loose, amount, chain, addresses, hashes, blockNumber, slippageBps } = entities
  if ([tokenIn, tokenOut, loose, amount, chain, blockNumber, slippageBps].some((value) => value !== null)) return true
  if (addresses.length + hashes.length > 0) return true
  return words.length <= MAX_WORDS_AGAIN && words.some(({ lower }) => AGAIN.has(lower))
}

function isOfSwaps(topic: Topic | null): boolean {
  return topic !== null && OF_SWAPS.has(topic)
}

type Sides = Pick<Entities, 'tokenIn' | 'tokenOut' | 'loose' | 'amount' | 'amountOf' | 'amountCurrency' | 'slippageBps'>

function merged(
  before: Entities,
  now: Entities,
  how: { readonly isSameMatter: boolean; readonly isNew: boolean; readonly topic: Topic | null },
): Entities {
  const list = <T>(mine: readonly T[], earlier: readonly T[]) => (mine.length > 0 || !how.isSameMatter ? mine : earlier)
  const one = <T>(mine: T | null, earlier: T | null) => mine ?? (how.isSameMatter ? earlier : null)
  return {
    ...now,
    ...mergedSides(before, now, how),
    chain: one(now.chain, before.chain),
    addresses: list(now.addresses, before.addresses),
    writtenAddresses: list(now.writtenAddresses, before.writtenAddresses),
    hashes: list(now.hashes, before.hashes),
    blockNumber: how.isNew ? now.blockNumber : one(now.blockNumber, before.blockNumber),
    bitcoinAddress: one(now.bitcoinAddress, before.bitcoinAddress),
    rawTransaction: one(now.rawTransaction, before.rawTransaction),
  }
}

function mergedSides(before: Sides, now: Sides, { isNew, topic }: { readonly isNew: boolean; readonly topic: Topic | null }): Sides {
  const slippageBps = now.slippageBps ?? before.slippageBps
  const named = [now.tokenIn, now.tokenOut, now.loose].filter((token) => token !== null)
  const [sole] = named
  const isSameSide = sole === before.tokenIn ? now.tokenOut === null : sole === before.tokenOut && now.tokenIn === null
  if (sole === undefined || (named.length === 1 && isSameSide && !(isNew && topic === 'price'))) {
    // the same swap with another amount, or as it was
    const { tokenIn, tokenOut, loose } = before
    if (now.amount === null) return { ...before, slippageBps }
    const amountOf = sole === undefined ? (before.amountOf ?? 'in') : sole === tokenIn ? 'in' : 'out'
    const isOldUnit = sole === undefined && now.amountCurrency === 'token_units'
    return {
      tokenIn,
      tokenOut,
      loose,
      amount: now.amount,
      amountOf,
      amountCurrency: isOldUnit ? 'token_units' : now.amountCurrency,
      slippageBps,
    }
  }
  const completes = (before.tokenIn === null) !== (before.tokenOut === null)
  const fits = now.loose !== null || (before.tokenIn === null ? now.tokenIn !== null : now.tokenOut !== null)
  if (named.length > 1 || (isNew && !(isOfSwaps(topic) && completes && fits && topic !== 'risk'))) return now
  // one token takes the free side, or that of which it is said to be, else it is bought instead (or priced instead)
  const isSold = now.tokenIn !== null || (now.loose !== null && (before.tokenIn === null || topic === 'price'))
  const keepsAmount = now.amount === null && (!isSold || before.tokenIn === null)
  const amountOf = now.amountOf === 'loose' ? (isSold ? 'in' : 'out') : now.amountOf
  return {
    tokenIn: isSold ? sole : before.tokenIn,
    tokenOut: isSold ? before.tokenOut : sole,
    loose: null,
    amount: keepsAmount ? before.amount : now.amount,
    amountOf: keepsAmount ? before.amountOf : amountOf,
    amountCurrency: keepsAmount ? before.amountCurrency : now.amountCurrency,
    slippageBps,
  }
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
