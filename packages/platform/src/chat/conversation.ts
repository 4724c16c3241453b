import type { Message } from '../schemas/chat.ts'

export interface ConversationPlan {
  readonly added: readonly Message[]
  readonly context: readonly Message[]
}

export const MAX_CONTEXT_MESSAGES = 100
export const MAX_CONTEXT_CHARACTERS = 60_000
const MAX_SYSTEM_MESSAGES = 20
const MAX_SYSTEM_CHARACTERS = 15_000

/** Clients may send the newest message or the whole conversation. System messages come first and are not stored. */
export function planConversation(stored: readonly Message[], sent: readonly Message[]): ConversationPlan {
  const system = newest(
    sent.filter(({ role }) => role === 'system'),
    MAX_SYSTEM_MESSAGES,
    MAX_SYSTEM_CHARACTERS,
  )
  const said = sent.filter(({ role }) => role !== 'system').slice(-MAX_CONTEXT_MESSAGES)
  const repeated = overlap(stored, said)
  // if the conversation does not continue the stored one, only its question is stored
  const foreign = repeated === 0 && stored.length > 0 && said.some(({ role }) => role === 'assistant')
  const added = foreign ? said.slice(said.findLastIndex(({ role }) => role === 'assistant') + 1) : said.slice(repeated)
  const conversation = foreign ? said : [...stored, ...added]
  const shown = newest(conversation, MAX_CONTEXT_MESSAGES - system.length, MAX_CONTEXT_CHARACTERS - charactersOf(system))
  return { added, context: [...system, ...shown] }
}

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
