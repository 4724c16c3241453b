/** Returns the caller of a session tool. */
import type { ToolCaller, ToolContext } from './tool.ts'

/** Throws RangeError without a caller, which the toolbox prevents. */
export function sessionCaller({ caller }: ToolContext): ToolCaller {
  if (caller === null) throw new RangeError('a tool of a session was called without one')
  return caller
}
