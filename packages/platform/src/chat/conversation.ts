/**
 * Decides what a request adds to the stored conversation and which messages the agent sees. Some clients send only their
 * newest message, some the whole conversation each time: both get one history without duplicates.
 */
import type { Message } from '../schemas/chat.ts'

export interface ConversationPlan {
  /** To be stored, in order. Empty when the question is there already, unanswered. */
  readonly added: readonly Message[]
  /** For the agent; the last is the user's. */
  readonly context: readonly Message[]
}

/** Maximum messages in the context of one question; older messages are dropped. */
export const MAX_CONTEXT_MESSAGES = 100
/** Maximum UTF-16 units in the context; about 15,000 tokens. */
export const MAX_CONTEXT_CHARACTERS = 60_000
/** The part of both limits that system messages may use. */
const MAX_SYSTEM_MESSAGES = 20
const MAX_SYSTEM_CHARACTERS = 15_000

/**
 * `stored` is the newest part of the history; the last of `sent` is the user's. System messages are for this answer
 * alone: they come first in the context and are not stored. Only the newest MAX_CONTEXT_MESSAGES of `sent` count.
 */
export function planConversation(stored: readonly Message[], sent: readonly Message[]): ConversationPlan {
  const system = newest(
    sent.filter(({ role }) => role === 'system'),
    MAX_SYSTEM_MESSAGES,
    MAX_SYSTEM_CHARACTERS,
  )
  const said = sent.filter(({ role }) => role !== 'system').slice(-MAX_CONTEXT_MESSAGES)
  const repeated = overlap(stored, said)
  // a conversation that does not continue ours is the client's own: it counts for this answer, and only its question is new
  const foreign = repeated === 0 && stored.length > 0 && said.some(({ role }) => role === 'assistant')
  const added = foreign ? said.slice(said.findLastIndex(({ role }) => role === 'assistant') + 1) : said.slice(repeated)
  const conversation = foreign ? said : [...stored, ...added]
  const shown = newest(conversation, MAX_CONTEXT_MESSAGES - system.length, MAX_CONTEXT_CHARACTERS - charactersOf(system))
  return { added, context: [...system, ...shown] }
}

/** How many of the first messages of the one are the last of the other. */
function overlap(stored: readonly Message[], sent: readonly Message[]): number {
  for (let length = Math.min(stored.length, sent.length); length > 0; length--) {
    const tail = stored.slice(-length)
    if (tail.every(({ role, content }, i) => role === sent[i]?.role && content === sent[i]?.content)) return length
  }
  return 0
}

function newest(messages: readonly Message[], maxMessages: number, maxCharacters: number): readonly Message[] {
  let characters = 0
  let from = messages.length
  while (from > 0 && messages.length - from < maxMessages) {
    characters += messages[from - 1]?.content.length ?? 0
    if (characters > maxCharacters) break
    from--
  }
  return messages.slice(from)
}

function charactersOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0)
}
