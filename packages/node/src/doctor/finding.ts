/** `wait`: not reached yet by a node that has just started. */
export type FindingStatus = 'ok' | 'warn' | 'fail' | 'wait' | 'skip'

export interface Finding {
  /** Kebab-case; stable across releases. */
  readonly check: string
  readonly status: FindingStatus
  readonly what: string
  readonly why?: string
  readonly todo?: string
}

export type Result = Omit<Finding, 'check'>

export const ok = (what: string): Result => ({ status: 'ok', what })
export const skip = (what: string, why: string): Result => ({ status: 'skip', what, why })
export const warn = (what: string, why: string, todo: string): Result => ({ status: 'warn', what, why, todo })
export const fail = (what: string, why: string, todo: string): Result => ({ status: 'fail', what, why, todo })
