import { checksummed } from '../http/checksummed.ts'
import { SourceError } from '../market/source-error.ts'
import { problem, type ToolOutcome } from '../market/tool-outcome.ts'
import type { AnyTool, ToolContext, ToolEffect } from './tool.ts'

export type ToolCallResult = ToolOutcome<unknown> | { readonly ok: false; readonly reason: 'unavailable'; readonly detail: string }

export interface ToolSelection {
  readonly session: boolean
  readonly effects: readonly ToolEffect[]
}

export interface Toolbox {
  list(selection: ToolSelection): readonly AnyTool[]
  /** Answers `not-found` for tools without one of the effects, `unavailable` for a SourceError. Throws other errors. */
  call(name: string, args: unknown, context: ToolContext, effects: readonly ToolEffect[]): Promise<ToolCallResult>
}

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
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        const at = issue?.path.length ? ` at ${issue.path.join('.')}` : ''
        return problem('invalid', `the arguments of ${name} do not fit${at}: ${issue?.message ?? 'unknown'}`)
      }
      try {
        return checksummed(await tool.call(parsed.data, context))
      } catch (error) {
        if (error instanceof SourceError) return { ok: false, reason: 'unavailable', detail: checksummed(error.message) }
        throw error
      }
    },
  }
}
