/** Port to whatever answers a conversation: the assistant or a model. */
import type { Message } from '../schemas/chat.ts'
import type { ToolCaller } from '../tools/tool.ts'

export interface ChatTurn {
  readonly caller: ToolCaller
  /** The conversation, oldest first; the last is the user's. */
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

export interface ChatAgent {
  readonly name: string
  /** Non-empty fragments of the answer. Throws SourceError when the agent does not respond. */
  answer(turn: ChatTurn): AsyncIterable<string>
}
