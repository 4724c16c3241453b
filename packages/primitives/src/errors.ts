/**
 * A failed operation throws an error with a code. Invalid outside input gives a return value with a reason; only decoders throw,
 * a CodecError.
 */
export type ErrorDetails = Readonly<Record<string, string | number | bigint | boolean | null>>

/** Base of all deliberate errors. `code` is `<package>/<what>` and never changes after a release. */
export abstract class NodeError<C extends string = string> extends Error {
  readonly code: C
  readonly details: ErrorDetails
  constructor(code: C, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
    this.name = new.target.name
  }
}

/** How a loop reacts: retry with backoff, reset to a safe point, or stop. */
export type Severity = 'temporary' | 'reset' | 'critical'

export abstract class SeverityError<C extends string = string> extends NodeError<C> {
  readonly severity: Severity
  constructor(code: C, severity: Severity, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(code, message, details, options)
    this.severity = severity
  }
}

/** Returns `temporary` for an error without severity. */
export function severityOf(error: unknown): Severity {
  const severity = typeof error === 'object' && error !== null && 'severity' in error ? error.severity : null
  return severity === 'reset' || severity === 'critical' ? severity : 'temporary'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export type CodecErrorCode =
  | 'codec/hex'
  | 'codec/hash'
  | 'codec/address'
  | 'codec/number'
  | 'codec/rlp'
  | 'codec/transaction'
  | 'codec/header'
  | 'codec/receipt'
  | 'codec/payload'
  | 'codec/state-diff'
  | 'codec/json'
  | 'codec/frame'
  | 'codec/batch'
  | 'codec/blob'
  | 'codec/l1-info'
  | 'codec/deposit-log'
  | 'codec/system-config'
  | 'codec/system-config-unknown'

export class CodecError extends NodeError<CodecErrorCode> {}
