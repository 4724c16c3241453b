/** Tools that move money cannot be called by any name. */
import type { Logger } from '@keelson/primitives'
import { jsonSchema, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import { failureFacts } from '../../http/failure-facts.ts'
import type { ToolCaller, ToolEffect } from '../../tools/tool.ts'
import type { Toolbox, ToolCallResult } from '../../tools/toolbox.ts'

const EFFECTS: readonly ToolEffect[] = ['reads']
export const MAX_TOOL_CALLS = 24
const MAX_RESULT_CHARACTERS = 16_000

export interface ModelToolDependencies {
  readonly toolbox: Toolbox
  readonly log: Logger
}

export function createModelTools(caller: ToolCaller, signal: AbortSignal, { toolbox, log }: ModelToolDependencies): ToolSet {
  let calls = 0
  const call = async (name: string, args: unknown): Promise<ToolCallResult> => {
    if (++calls > MAX_TOOL_CALLS) return { ok: false, reason: 'limit', detail: `${MAX_TOOL_CALLS} calls are the most for one answer` }
    try {
      return shownResult(await toolbox.call(name, args, { caller, signal }, EFFECTS))
    } catch (error) {
      signal.throwIfAborted()
      log.error('a tool failed', { tool: name, ...failureFacts(error) })
      return { ok: false, reason: 'unavailable', detail: 'the tool failed' }
    }
  }
  return Object.fromEntries(
    toolbox.list({ session: true, effects: EFFECTS }).map(({ name, description, input }) => [
      name,
      tool({
        description,
        // the toolbox validates the arguments
        inputSchema: jsonSchema(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Parameters<typeof jsonSchema>[0]),
        execute: (args: unknown) => call(name, args),
      }),
    ]),
  )
}

function shownResult(result: ToolCallResult): ToolCallResult {
  const size = JSON.stringify(result).length
  if (size <= MAX_RESULT_CHARACTERS) return result
  return { ok: false, reason: 'limit', detail: `the result has ${size} characters, ${MAX_RESULT_CHARACTERS} are shown: ask for less` }
}
