import type { Message } from '../schemas/chat.ts'
import { MAX_CONTEXT_MESSAGES } from './conversation.ts'

export interface ConversationTail {
  /** A chat with another `last_ordinal` was changed elsewhere. */
  readonly lastOrdinal: number
  readonly messages: readonly Message[]
}

const MAX_CHARACTERS = 16 * 2 ** 20
const ENTRY_CHARACTERS = 500

export class ConversationTails {
  readonly #tails = new Map<string, ConversationTail>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  get(sessionId: string): ConversationTail | undefined {
    return this.#tails.get(sessionId)
  }

  set(sessionId: string, lastOrdinal: number, messages: readonly Message[]): void {
    this.forget(sessionId)
    const tail = { lastOrdinal, messages: messages.slice(-MAX_CONTEXT_MESSAGES) }
    this.#tails.set(sessionId, tail)
    this.#characters += charactersOf(tail)
    for (const oldest of this.#tails.keys()) {
      if (this.#characters <= this.#maxCharacters) return
      this.forget(oldest)
    }
  }

  /** Has no effect if a later turn has begun. */
  addAnswer(sessionId: string, turn: number, content: string): void {
    const tail = this.#tails.get(sessionId)
    if (tail?.lastOrdinal === turn) this.set(sessionId, turn, [...tail.messages, { role: 'assistant', content }])
  }

  forget(sessionId: string): void {
    const tail = this.#tails.get(sessionId)
    if (tail === undefined) return
    this.#tails.delete(sessionId)
    this.#characters -= charactersOf(tail)
  }
}

function charactersOf({ messages }: ConversationTail): number {
  return messages.reduce((sum, { content }) => sum + content.length + ENTRY_CHARACTERS, ENTRY_CHARACTERS)
}
