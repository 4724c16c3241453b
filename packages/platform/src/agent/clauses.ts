/** Finds messages that ask more than one thing: an answer to one of them would silently drop the others. */
import type { ChainNames } from '../tools/token-names.ts'
import { type Entities, readText } from './entities.ts'
import { readTopic, type Topic } from './topic.ts'

const SEPARATOR = /[?!;\n]+|[.,]\s|\s(?=(?:and|then|also|plus|&)\s)/i
const LINK = /^(?:and|then|also|plus|&)\s+/i
const MAX_CLAUSES = 8
/** Phrases whose `and` does not separate two questions. */
const JOINED = /\b(?:between|profit and loss|p&l)\b/i
/** Topics that are no question on their own. */
const SILENT: ReadonlySet<Topic> = new Set(['help', 'thanks', 'other_language', 'denied'])
/** The answer to any one of these covers the others, as long as they are about the same swap. */
const SWAP_MATTERS: ReadonlySet<Topic> = new Set([
  ...(['swap_tokens', 'trade', 'quote', 'risk', 'confirm'] as const),
  ...(['limit_order', 'condition', 'other_time'] as const),
])

interface Demand {
  readonly text: string
  /** Null for a clause that only adds a name, such as `and BTC`. */
  readonly topic: Topic | null
  readonly entities: Entities
}

/** The questions of a message, as written and in order; empty when it asks at most one thing. */
export function severalQuestions(text: string, chains: readonly ChainNames[]): readonly string[] {
  const clauses = JOINED.test(text) ? [] : text.split(SEPARATOR, MAX_CLAUSES)
  if (clauses.length < 2) return []
  const demands: Demand[] = []
  for (const clause of clauses) {
    const demand = demandOf(clause.replace(LINK, '').trim(), chains)
    if (demand === null) continue
    const before = demands.at(-1)
    if (before === undefined || differs(before, demand)) demands.push(demand)
    else if (before.topic === null) demands.splice(-1, 1, demand)
  }
  return demands.length < 2 ? [] : demands.map((demand) => demand.text)
}

function demandOf(text: string, chains: readonly ChainNames[]): Demand | null {
  const read = readText(text, chains)
  const topic = readTopic(read)
  if (topic === null ? namesOf(read.entities).length === 0 : SILENT.has(topic)) return null
  return { text, topic, entities: read.entities }
}

function differs(before: Demand, now: Demand): boolean {
  if (before.topic === null) return now.entities.loose !== null && !namesOf(before.entities).includes(now.entities.loose)
  const isSameMatter = now.topic === null || matterOf(now.topic) === matterOf(before.topic)
  if (!isSameMatter) return true
  if (SWAP_MATTERS.has(before.topic)) return !completes(before.entities, now.entities)
  const named = namesOf(before.entities)
  return named.length > 0 && namesOf(now.entities).some((name) => !named.includes(name))
}

function matterOf(topic: Topic | null): Topic | 'swap' | null {
  return topic !== null && SWAP_MATTERS.has(topic) ? 'swap' : topic
}

/** The second clause names the side of the swap that the first one leaves out, names the same tokens again, or none. */
function completes(before: Entities, now: Entities): boolean {
  const isFree = (mine: string | null, theirs: string | null) => mine === null || theirs === null || mine === theirs
  if (now.loose !== null) return namesOf(before).includes(now.loose) || (now.amount === null && before.tokenOut === null)
  return isFree(before.tokenIn ?? before.loose, now.tokenIn) && isFree(before.tokenOut, now.tokenOut)
}

function namesOf({ tokenIn, tokenOut, loose, addresses, hashes, blockNumber }: Entities): readonly string[] {
  const tokens = [tokenIn, tokenOut, loose].filter((token) => token !== null)
  return [...tokens, ...addresses, ...hashes, ...(blockNumber === null ? [] : [String(blockNumber)])]
}
