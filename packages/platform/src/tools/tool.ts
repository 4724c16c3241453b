/** The form of the tools that agents call by name. The assistant, models and the tool protocol share one list of them. */
import type { z } from 'zod'
import type { ToolOutcome } from '../market/tool-outcome.ts'

export interface ToolCaller {
  readonly userId: number
  readonly sessionId: string
}

export interface ToolContext<C = ToolCaller | null> {
  readonly caller: C
  readonly signal: AbortSignal
}

/** `reads` includes simulations. Assistants are offered only tools that read. */
export type ToolEffect = 'reads' | 'moves-money'

interface ToolBody<I extends z.ZodObject, C> {
  /** snake_case. */
  readonly name: string
  readonly title: string
  /** What the tool returns and from which source: models choose by it. */
  readonly description: string
  /** Validates the arguments, and is shown to callers as JSON Schema. */
  readonly input: I
  /** The result is JSON. Throws SourceError. */
  call(args: z.output<I>, context: ToolContext<C>): Promise<ToolOutcome<unknown>>
}

export interface AgentTool<I extends z.ZodObject = z.ZodObject> extends ToolBody<I, ToolCaller | null> {
  /** A tool of a session needs its token. */
  readonly access: 'public' | 'session'
  readonly effect: ToolEffect
}

// biome-ignore lint/suspicious/noExplicitAny: each tool has arguments of its own
export type AnyTool = AgentTool<any>

export function publicTool<const I extends z.ZodObject>(tool: ToolBody<I, ToolCaller | null>): AgentTool<I> {
  return { access: 'public', effect: 'reads', ...tool }
}

export function sessionTool<const I extends z.ZodObject>(tool: ToolBody<I, ToolCaller>, effect: ToolEffect = 'reads'): AgentTool<I> {
  return {
    ...tool,
    ...{ access: 'session', effect },
    call(args, { caller, signal }) {
      if (caller === null) throw new RangeError(`${tool.name} was called without a session`)
      return tool.call(args, { caller, signal })
    },
  }
}
