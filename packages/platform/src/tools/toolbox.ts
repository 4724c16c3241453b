/** The tools by name, with arguments judged before a tool sees them. */
import type { ZodError } from 'zod'
import { checksummed } from '../http/checksummed.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, type ToolOutcome } from '../market/tool-outcome.ts'
import type { AnyTool, ToolContext, ToolEffect } from './tool.ts'

/** `unavailable`: a source is away, and the same call may be made again. */
export type ToolCallResult = ToolOutcome<unknown> | { readonly ok: false; readonly reason: 'unavailable'; readonly detail: string }

export interface ToolSelection {
  /** Somebody is logged in. */
  readonly session: boolean
  readonly effects: readonly ToolEffect[]
}

export interface Toolbox {
  list(selection: ToolSelection): readonly AnyTool[]
  /** Refuses what the selection leaves out as if it were not there. Other failures than a source's are thrown. */
  call(name: string, args: unknown, context: ToolContext, effects: readonly ToolEffect[]): Promise<ToolCallResult>
}

/** Throws RangeError for two tools of one name. */
export function createToolbox(tools: readonly AnyTool[]): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new RangeError('two tools have the same name')
  return {
    list: ({ session, effects }) => tools.filter(({ access, effect }) => (session || access === 'public') && effects.includes(effect)),
    async call(name, args, context, effects) {
      const tool = byName.get(name)
      if (tool === undefined || !effects.includes(tool.effect)) return problem('not-found', `there is no tool ${JSON.stringify(name)}`)
      if (tool.access === 'session' && context.caller === null) return problem('invalid', `${name} needs the token of a session`)
      const parsed = tool.input.safeParse(args ?? {})
      if (!parsed.success) return problem('invalid', argumentProblem(name, parsed.error))
      try {
        return checksummed(await tool.call(parsed.data, context))
      } catch (error) {
        if (error instanceof SourceError) return { ok: false, reason: 'unavailable', detail: checksummed(error.message) }
        throw error
      }
    },
  }
}

function argumentProblem(name: string, { issues }: ZodError): string {
  const [first] = issues
  const path = first?.path.join('.') ?? ''
  return `the arguments of ${name} do not fit${path === '' ? '' : ` at ${path}`}: ${first?.message ?? 'unknown'}`
}
