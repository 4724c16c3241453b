/**
 * A tool that agents call by its name: the deterministic assistant, a model, a client of the tool protocol. One list of
 * them serves all three, so none can do more than another. A tool only ever reads or simulates, unless it says that it
 * moves money: those are left out of what an assistant is offered, whatever a text asks for.
 */
import type { z } from 'zod'
import type { ToolOutcome } from '../market/tool-outcome.ts'

export interface ToolCaller {
  readonly userId: number
  readonly sessionId: string
}

/** Null where nobody is logged in. */
export interface ToolContext {
  readonly caller: ToolCaller | null
  readonly signal: AbortSignal
}

/** `reads` includes simulations. */
export type ToolEffect = 'reads' | 'moves-money'

export interface AgentTool<I extends z.ZodObject = z.ZodObject> {
  /** snake_case. */
  readonly name: string
  readonly title: string
  /** What it answers and from which source: models choose by it. */
  readonly description: string
  /** Checks the arguments, and is shown to callers as JSON Schema. */
  readonly input: I
  /** Whether it needs the token of a session. */
  readonly access: 'public' | 'session'
  readonly effect: ToolEffect
  /** The result is JSON. Throws SourceError when what it asks is away. */
  call(args: z.output<I>, context: ToolContext): Promise<ToolOutcome<unknown>>
}

// biome-ignore lint/suspicious/noExplicitAny: each tool has arguments of its own
export type AnyTool = AgentTool<any>

/** Gives its argument back, with the types of the arguments inferred from the schema. */
export function defineTool<const I extends z.ZodObject>(tool: AgentTool<I>): AgentTool<I> {
  return tool
}
