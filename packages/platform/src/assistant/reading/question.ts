import type { Message } from '../../schemas/chat.ts'
import type { ChainNames } from '../../tools/token-names.ts'
import { type Entities, type ReadText, readText } from './read-text.ts'
import type { TextReading } from './text-reader.ts'
import { ABOUT_TOKENS, ASIDE, SWAPS, type Topic, TRADES } from './topics.ts'

export interface Question {
  readonly topic: Topic | null
  readonly entities: Entities
  readonly term: string | null
  readonly parts: readonly string[]
}

const MAX_MESSAGES = 20
const SEPARATOR = /[?!;\n]+|[.,]\s|\s(?:and|then|also|plus|&)\s/i
const JOINED = /\b(?:between|compare|comparing|comparison|which is better|profit and loss|p&l)\b/i
const MAX_PARTS = 8
const NO_AMOUNT = { amount: null, unread: null }
const KEPT = ['chain', 'address', 'hash', 'blockNumber', 'period'] as const

export function readQuestion(messages: readonly Message[], read: (text: string) => TextReading): Question {
  let asked: Question = { topic: null, entities: read('').read.entities, term: null, parts: [] }
  let open: Question | null = null
  let isLast = true
  for (const { content } of messages.filter(({ role }) => role === 'user').slice(-MAX_MESSAGES)) {
    asked = readMessage(open, isLast, read(content))
    isLast = asked.topic !== null && (isLast || !ASIDE.has(asked.topic))
    if (asked.topic !== null && !ASIDE.has(asked.topic)) open = asked
  }
  return asked
}

export function withObstacle(topic: Topic | null, { obstacle }: ReadText): Topic | null {
  if (obstacle === null || topic === null) return topic
  return TRADES.has(topic) || ((topic === 'quote' || topic === 'price') && obstacle === 'other_time') ? obstacle : topic
}

function readMessage(open: Question | null, isLast: boolean, { read, parts }: TextReading): Question {
  if (parts.length > 0) return { topic: 'several', entities: read.entities, term: null, parts }
  const inherited = read.topic === null && read.continues && isLast ? (open?.topic ?? null) : null
  const topic = read.topic ?? inherited ?? (read.isOnlyTokens ? 'price' : null)
  const bare = (token: string | null) => (token?.startsWith('0x') && (topic === null || !ABOUT_TOKENS.has(topic)) ? null : token)
  const { tokenIn, tokenOut, loose } = read.entities
  const now = { ...read.entities, tokenIn: bare(tokenIn), tokenOut: bare(tokenOut), loose: bare(loose) }
  const before = open === null || isNewTrade(open, read) ? null : open.entities
  const entities = before === null ? now : merged(before, now, inherited !== null, topic)
  return {
    topic: withObstacle(topic, read),
    entities: { ...entities, tokenIn: entities.tokenIn ?? entities.loose, loose: null },
    term: read.term,
    parts,
  }
}

/** "sell everything" and "buy some" name no token, so they are about none of an earlier question, except about a swap of two tokens. */
function isNewTrade({ topic, entities: { tokenIn, tokenOut } }: Question, { topic: now, entities }: ReadText): boolean {
  if (now === null || !TRADES.has(now) || now === 'confirm') return false
  if (entities.tokenIn !== null || entities.tokenOut !== null || entities.loose !== null) return false
  const isPair = topic !== null && SWAPS.has(topic) && tokenIn !== null && tokenOut !== null
  return !isPair || entities.unread !== null
}

/** A token replaces the one on its side of the earlier swap. */
function merged(before: Entities, now: Entities, continues: boolean, topic: Topic | null): Entities {
  const kept = continues ? { ...now, ...Object.fromEntries(KEPT.map((key) => [key, now[key] ?? before[key]])) } : now
  const { tokenIn, tokenOut } = before
  const swap = { tokenIn, tokenOut, loose: null, slippageBps: now.slippageBps ?? before.slippageBps }
  const isNamed = now.amount !== null || now.unread !== null
  const token = now.tokenIn ?? now.tokenOut ?? now.loose
  if (token === null) {
    const { amount, unread } = isNamed ? { amount: now.amount && { ...now.amount, of: 'in' as const }, unread: now.unread } : before
    return { ...kept, ...swap, amount, unread }
  }
  const isFirst = now.tokenIn !== null || token === tokenIn || (token !== tokenOut && (tokenIn === null || topic === 'price'))
  const side = now.tokenOut === null && isFirst ? 'tokenIn' : 'tokenOut'
  const completes = topic !== null && SWAPS.has(topic) && before[side] === null && (tokenIn ?? tokenOut) !== null
  if ((now.tokenIn !== null && now.tokenOut !== null) || !(continues || completes)) return kept
  // an amount is dropped with the token that it counts
  const isKept = token === before[side] || before.amount?.isUsd || (side === 'tokenIn' ? tokenIn === null : before.amount?.of !== 'out')
  const of = now.amount?.of == null ? null : side === 'tokenIn' ? ('in' as const) : ('out' as const)
  const { amount, unread } = isNamed ? { amount: now.amount && { ...now.amount, of }, unread: now.unread } : isKept ? before : NO_AMOUNT
  return { ...kept, ...swap, [side]: token, amount, unread }
}

/** Empty for a message with only one question. */
export function severalQuestions(text: string, chains: readonly ChainNames[]): readonly string[] {
  const clauses = JOINED.test(text) ? [] : text.split(SEPARATOR, MAX_PARTS).map((clause) => clause.trim())
  const parts: (ReadText & { readonly text: string; readonly names: readonly string[] })[] = []
  for (const clause of clauses.length < 2 ? [] : clauses) {
    const read = readText(clause, chains)
    const { tokenIn, tokenOut, loose, address, hash, blockNumber, amount } = read.entities
    const names = [tokenIn, tokenOut, loose, address, hash, blockNumber].flatMap((name) => (name === null ? [] : [String(name)]))
    if (read.topic === null ? names.length === 0 : ASIDE.has(read.topic)) continue
    const part = { ...read, text: clause, names }
    const before = parts.at(-1)
    const matter = (topic: Topic | null) => (topic !== null && SWAPS.has(topic) ? 'swap' : topic)
    const isFresh = before !== undefined && names.some((name) => !before.names.includes(name))
    const isOther = before !== undefined && before.topic !== null && read.topic !== null && matter(before.topic) !== matter(read.topic)
    const isFull =
      matter(before?.topic ?? null) !== 'swap' || (before?.names.length ?? 0) > 1 || (before?.entities.amount !== null && amount !== null)
    if (before === undefined || isOther || (isFresh && isFull && before.names.length > 0)) parts.push(part)
    else if (before.topic === null) parts.splice(-1, 1, part)
  }
  return parts.length < 2 ? [] : parts.map((part) => part.text)
}
