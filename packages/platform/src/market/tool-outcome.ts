export type ToolProblemReason = 'invalid' | 'not-found' | 'limit' | 'not-configured'

export interface ToolProblem {
  readonly ok: false
  readonly reason: ToolProblemReason
  readonly detail: string
}

export type ToolOutcome<T> = { readonly ok: true; readonly value: T } | ToolProblem

export function succeeded<T>(value: T): ToolOutcome<T> {
  return { ok: true, value }
}

export function problem(reason: ToolProblemReason, detail: string): ToolProblem {
  return { ok: false, reason, detail }
}
