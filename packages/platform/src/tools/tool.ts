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

/** Simulations count as `reads`. */
export type ToolEffect = 'reads' | 'moves-money'

interface ToolBody<I extends z.ZodObject, C> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: I
  call(args: z.output<I>, context: ToolContext<C>): Promise<ToolOutcome<unknown>>
}

export interface AgentTool<I extends z.ZodObject = z.ZodObject> extends ToolBody<I, ToolCaller | null> {
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
    access: 'session',
    effect,
    call(args, { caller, signal }) {
      if (caller === null) throw new RangeError(`${tool.name} was called without a session`)
      return tool.call(args, { caller, signal })
    },
  }
}
