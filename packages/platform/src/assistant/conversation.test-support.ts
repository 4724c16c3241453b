import type { AssistantWorld } from './assistant-world.test-support.ts'

/** Placeholder for the newest quote_id of the turn. */
export const LAST_QUOTE_ID = '$last_quote_id'

export interface ExpectedCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface ConversationTurn {
  readonly user: string
  readonly calls: readonly ExpectedCall[]
  readonly says: readonly string[]
}

export interface Conversation {
  readonly name: string
  readonly given?: (world: AssistantWorld) => void
  readonly turns: readonly ConversationTurn[]
}
