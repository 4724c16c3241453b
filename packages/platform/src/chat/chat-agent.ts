import type { Message } from '../schemas/chat.ts'
import type { ToolCaller } from '../tools/tool.ts'

export interface ChatTurn {
  readonly caller: ToolCaller
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

export interface ChatAgent {
  readonly name: string
  /** Yields non-empty fragments. Throws SourceError. */
  answer(turn: ChatTurn): AsyncIterable<string>
}
