/** What a tool answers: its result, or why the request cannot be served as it is. Outages are SourceErrors instead. */

/** `invalid`: the request is wrong; `not-found`: nothing of that name here; `limit`: too many at once; `not-configured`: the operator gave no source. */
export type ToolProblemReason = 'invalid' | 'not-found' | 'limit' | 'not-configured'

export interface ToolProblem {
  readonly ok: false
  readonly reason: ToolProblemReason
  /** For people: what was expected, what came. */
  readonly detail: string
}

export type ToolOutcome<T> = { readonly ok: true; readonly value: T } | ToolProblem

export function succeeded<T>(value: T): ToolOutcome<T> {
  return { ok: true, value }
}

export function problem(reason: ToolProblemReason, detail: string): ToolProblem {
  return { ok: false, reason, detail }
}
