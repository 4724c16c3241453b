/** The caller of a tool that belongs to a session. */
import type { ToolCaller, ToolContext } from './tool.ts'

/** Throws RangeError without one, which the toolbox does not let through. */
export function sessionCaller({ caller }: ToolContext): ToolCaller {
  if (caller === null) throw new RangeError('a tool of a session was called without one')
  return caller
}
