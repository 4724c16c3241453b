/** Who answers in a conversation: the deterministic assistant or a model. What it says rests on tools that it called. */
import type { Message } from '../schemas/chat.ts'
import type { ToolCaller } from '../tools/tool.ts'

export interface ChatTurn {
  readonly caller: ToolCaller
  /** The conversation, oldest first; the last is the user's. */
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

export interface ChatAgent {
  /** For messages and logs: `deterministic`, or provider and model. */
  readonly name: string
  /** Fragments of the answer, none empty. Throws SourceError when who answers cannot be asked. */
  answer(turn: ChatTurn): AsyncIterable<string>
}
